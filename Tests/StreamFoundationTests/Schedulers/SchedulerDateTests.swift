import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct SchedulerDateTests {
  typealias Time = RunLoop.SchedulerTimeType

  private func time(_ seconds: TimeInterval) -> Time { Time(Date(timeIntervalSince1970: seconds)) }

  @Test func `strides are seconds`() {
    #expect(Time.Stride.seconds(2).timeInterval == 2)
    #expect(Time.Stride.seconds(0.25).timeInterval == 0.25)
    #expect(Time.Stride.milliseconds(250).timeInterval == 0.25)
    #expect(Time.Stride.microseconds(250_000).timeInterval == 0.25)
    #expect(Time.Stride.nanoseconds(250_000_000).timeInterval == 0.25)
    #expect((2 as Time.Stride) == .seconds(2))
    #expect((0.5 as Time.Stride) == .milliseconds(500))
  }

  @Test func `distance(to:) and advanced(by:) are inverse`() {
    #expect(time(5).distance(to: time(12)) == 7)
    #expect(time(12).distance(to: time(5)) == -7)
    #expect(time(5).advanced(by: 7) == time(12))
  }

  @Test func `strides support arithmetic`() {
    #expect((3 as Time.Stride) * 2 - 1 + 0.5 == 5.5)
    #expect(-(3 as Time.Stride) < 0)
  }

  @Test func `times can be compared and hashed`() {
    #expect(time(1) < time(2))
    #expect(Set([time(1), time(1), time(2)]).count == 2)
  }

  @Test func `times and strides survive encoding and decoding`() throws {
    struct Both: Codable, Equatable {
      var time: OperationQueue.SchedulerTimeType
      var stride: OperationQueue.SchedulerTimeType.Stride
    }
    let both = Both(time: .init(Date(timeIntervalSince1970: 3)), stride: -0.5)
    #expect(try JSONDecoder().decode(Both.self, from: JSONEncoder().encode(both)) == both)
  }

  @Test func `times and strides are encoded as in Combine`() throws {
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    let date = Date(timeIntervalSinceReferenceDate: 3)
    #expect(try text(RunLoop.SchedulerTimeType(date)) == #"{"date":3}"#)
    #expect(try text(RunLoop.SchedulerTimeType.Stride(0.5)) == #"{"magnitude":0.5}"#)
    #expect(try text(OperationQueue.SchedulerTimeType(date)) == #"{"date":3}"#)
    #expect(try text(OperationQueue.SchedulerTimeType.Stride(0.5)) == #"{"magnitude":0.5}"#)
  }

  @Test(arguments: [#"{"date":3}"#, "3"])
  func `times are decoded from Combine's format and from the earlier format of this package`(_ text: String) throws {
    let time = try JSONDecoder().decode(Time.self, from: Data(text.utf8))
    #expect(time == Time(Date(timeIntervalSinceReferenceDate: 3)))
  }

  @Test(arguments: [#"{"magnitude":-0.5}"#, #"{"timeInterval":-0.5}"#])
  func `strides are decoded from Combine's format and from the earlier format of this package`(_ text: String) throws {
    #expect(try JSONDecoder().decode(Time.Stride.self, from: Data(text.utf8)) == -0.5)
  }

  @Test(arguments: [#"{"timeInterval":null}"#, "{}", "[]"])
  func `decoding an invalid time or stride throws`(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.self, from: Data(text.utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.Stride.self, from: Data(text.utf8)) }
  }

  @Test func `dates follow the encoder's date encoding strategy`() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let data = try encoder.encode(Time(Date(timeIntervalSince1970: 7)))
    #expect(String(decoding: data, as: UTF8.self) == #"{"date":7}"#)
  }

  @Test func `a stride's magnitude can be set`() {
    var stride: Time.Stride = 1
    stride.magnitude = -2
    #expect(stride.timeInterval == -2)
  }

  @Test func `run loops and operation queues have distinct time types`() {
    #expect(RunLoop.SchedulerTimeType.self != OperationQueue.SchedulerTimeType.self)
  }
}
