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

  @Test func `a distance and the way back agree`() {
    #expect(time(5).distance(to: time(12)) == 7)
    #expect(time(12).distance(to: time(5)) == -7)
    #expect(time(5).advanced(by: 7) == time(12))
  }

  @Test func `strides can be calculated with`() {
    #expect((3 as Time.Stride) * 2 - 1 + 0.5 == 5.5)
    #expect(-(3 as Time.Stride) < 0)
  }

  @Test func `times can be compared and hashed`() {
    #expect(time(1) < time(2))
    #expect(Set([time(1), time(1), time(2)]).count == 2)
  }

  @Test func `times and strides survive being encoded`() throws {
    struct Both: Codable, Equatable {
      var time: OperationQueue.SchedulerTimeType
      var stride: OperationQueue.SchedulerTimeType.Stride
    }
    let both = Both(time: .init(Date(timeIntervalSince1970: 3)), stride: -0.5)
    #expect(try JSONDecoder().decode(Both.self, from: JSONEncoder().encode(both)) == both)
  }

  @Test func `times and strides are written as Combine writes them`() throws {
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
  func `times are read as Combine writes them, and as they were written here before`(_ text: String) throws {
    let time = try JSONDecoder().decode(Time.self, from: Data(text.utf8))
    #expect(time == Time(Date(timeIntervalSinceReferenceDate: 3)))
  }

  @Test(arguments: [#"{"magnitude":-0.5}"#, #"{"timeInterval":-0.5}"#])
  func `strides are read as Combine writes them, and as they were written here before`(_ text: String) throws {
    #expect(try JSONDecoder().decode(Time.Stride.self, from: Data(text.utf8)) == -0.5)
  }

  @Test(arguments: [#"{"timeInterval":null}"#, "{}", "[]"])
  func `what is no time and no stride is not read as one`(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.self, from: Data(text.utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Time.Stride.self, from: Data(text.utf8)) }
  }

  @Test func `dates are written as the encoder is told to`() throws {
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

  @Test func `a run loop's time is not an operation queue's`() {
    #expect(RunLoop.SchedulerTimeType.self != OperationQueue.SchedulerTimeType.self)
  }
}
