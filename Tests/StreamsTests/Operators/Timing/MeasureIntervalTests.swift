import Dispatch
import StreamSchedulers
import Streams
import Testing

struct MeasureIntervalTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  @Test func `publishes the time since the previous value or the subscription`() {
    let publisher = source.measureInterval(using: scheduler)
    scheduler.advance(by: 5)
    let recorder = record(publisher)
    for (value, second) in [(1, 7), (2, 7), (3, 17)] { scheduler.at(Double(second)) { source.send(value) } }
    scheduler.run()
    #expect(recorder.values == [.seconds(2), .seconds(0), .seconds(10)])
  }

  @Test func `forwards demand, failures and cancellation, and schedules nothing`() {
    let recorder = record(source.measureInterval(using: scheduler), .max(1))
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .none)
    source.fail(.first)
    #expect(recorder.failures == [.first])
    #expect(scheduler.pendingCount == 0)

    record(source.measureInterval(using: scheduler)).cancel()
    #expect(source.cancelCount == 1)
  }
}
