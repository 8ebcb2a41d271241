import Dispatch
import StreamSchedulers
import Streams
import Testing

struct ThrottleTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func throttled(latest: Bool) -> some Publisher<Int, TestError> {
    source.throttle(for: 10, scheduler: scheduler, latest: latest)
  }

  private func sendAll() {
    for (value, second) in [(1, 0), (2, 1), (3, 4), (4, 11), (5, 12), (6, 40)] {
      scheduler.at(Double(second)) { source.send(value) }
    }
    scheduler.run()
  }

  @Test func `delivers the latest value of each interval`() {
    let recorder = record(throttled(latest: true), on: scheduler)
    sendAll()
    #expect(recorder.log == ["1@0", "3@10", "5@20", "6@40"])
  }

  @Test func `delivers the first value of each interval`() {
    let recorder = record(throttled(latest: false), on: scheduler)
    sendAll()
    #expect(recorder.log == ["1@0", "2@10", "4@20", "6@40"])
  }

  @Test(arguments: [(true, "2@0"), (false, "1@0")])
  func `a value that is due waits for the scheduler, and the latest replaces it`(latest: Bool, delivered: String) {
    let recorder = record(throttled(latest: latest), on: scheduler)
    source.send(1)
    source.send(2)
    #expect(recorder.log.isEmpty)
    scheduler.advance()
    #expect(recorder.log == [delivered])
  }

  @Test(arguments: [true, false])
  func `delivers a waiting value before a completion that arrives in the interval`(latest: Bool) {
    let recorder = record(throttled(latest: latest), on: scheduler)
    source.send(1)
    scheduler.advance()
    scheduler.advance(by: 3)
    source.send(2)
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@10", "finished@10"])
  }

  @Test func `delivers a waiting value before a failure that arrives in the interval`() {
    let recorder = record(throttled(latest: true), on: scheduler)
    source.send(1)
    scheduler.advance()
    source.send(2)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@10", "first@10"])
  }

  @Test func `finishes on the scheduler at once when no value waits`() {
    let recorder = record(throttled(latest: true), on: scheduler)
    source.send(1)
    scheduler.advance(by: 2)
    source.finish()
    #expect(recorder.log == ["1@0"])
    scheduler.run()
    #expect(recorder.log == ["1@0", "finished@2"])
  }

  @Test func `has nothing scheduled after cancellation`() {
    let recorder = record(throttled(latest: true))
    source.send(1)
    scheduler.advance()
    source.send(2)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(recorder.log == ["1"])
  }

  @Test func `requests unlimited demand and keeps to downstream's demand`() {
    let recorder = record(throttled(latest: true), .max(1), on: scheduler)
    #expect(source.requests == [.unlimited])
    sendAll()
    #expect(recorder.log == ["1@0"])
  }

  @Test func `arms at most one action`() {
    record(throttled(latest: true))
    for value in 0..<100 {
      source.send(value)
      #expect(scheduler.pendingCount == 1)
      scheduler.advance(by: 1)
    }
  }
}
