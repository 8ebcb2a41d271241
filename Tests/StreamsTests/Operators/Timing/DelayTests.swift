import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct DelayTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func delayed() -> some Publisher<Int, TestError> { source.delay(for: 10, scheduler: scheduler) }

  @Test func `delays values and a normal completion, and keeps their intervals`() {
    let recorder = record(delayed(), on: scheduler)
    scheduler.at(0) { source.send(1) }
    scheduler.at(3) { source.send(2) }
    scheduler.at(3) { source.send(3) }
    scheduler.at(12) { source.send(4) }
    scheduler.at(13) { source.finish() }
    scheduler.run()
    #expect(recorder.log == ["1@10", "2@13", "3@13", "4@22", "finished@23"])
  }

  @Test func `delays a failure`() {
    let recorder = record(delayed(), on: scheduler)
    source.send(1)
    scheduler.advance(by: 1)
    source.fail(.first)
    scheduler.run()
    #expect(recorder.log == ["1@10", "first@11"])
  }

  @Test func `has nothing scheduled after cancellation, unlike Combine`() {
    let recorder = record(delayed())
    source.send(1)
    scheduler.advance(by: 1)
    source.send(2)
    source.finish()
    #expect(scheduler.pendingCount > 0)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)

    let before = scheduler.now
    scheduler.run()
    #expect(scheduler.now == before)
    #expect(recorder.log == [])
  }

  @Test func `delivers nothing when it is cancelled after upstream has finished, unlike Combine`() {
    let recorder = SignalRecorder<Int, TestError>(on: scheduler)
    recorder.onValue = { _ in
      recorder.cancel()
      return .none
    }
    delayed().subscribe(recorder)
    source.send(1)
    source.send(2)
    source.finish()
    scheduler.run()
    #expect(recorder.log == ["1@10"])
  }

  @Test func `arms one action for all signals of the same instant`() {
    let recorder = record([1, 2, 3].publisher.delay(for: 10, scheduler: scheduler), on: scheduler)
    #expect(scheduler.pendingCount == 1)
    scheduler.run()
    #expect(recorder.log == ["1@10", "2@10", "3@10", "finished@10"])
  }

  @Test func `forwards demand at once`() {
    let recorder = SignalRecorder<Int, TestError>(.max(1), on: scheduler)
    recorder.onValue = { _ in .max(2) }
    delayed().subscribe(recorder)
    #expect(source.demand == 1)
    source.send(1)
    #expect(source.demand == 1)
    scheduler.run()
    #expect(source.demand == 3)
    recorder.request(.max(1))
    #expect(source.demand == 4)
  }

  @Test func `cancels upstream`() {
    record(delayed()).cancel()
    #expect(source.cancelCount == 1)
  }

  @Test func `delays values that are sent during a delivery`() {
    let recorder = SignalRecorder<Int, TestError>(on: scheduler)
    recorder.onValue = { value in
      if value < 3 { source.send(value + 1) }
      return .none
    }
    delayed().subscribe(recorder)
    source.send(1)
    scheduler.run()
    #expect(recorder.log == ["1@10", "2@20", "3@30"])
  }

  @Test func `an interval of zero still uses the scheduler`() {
    let recorder = record([1].publisher.delay(for: 0, scheduler: scheduler))
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["1", "finished"])
  }
}
