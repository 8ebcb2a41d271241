import Foundation
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

  @Test func `a run loop's time is not an operation queue's`() {
    #expect(RunLoop.SchedulerTimeType.self != OperationQueue.SchedulerTimeType.self)
  }
}
