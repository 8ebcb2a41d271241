import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct DebounceTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  private func debounced() -> some Publisher<Int, TestError> { source.debounce(for: 10, scheduler: scheduler) }

  @Test func `delivers the latest value after a pause`() {
    let recorder = record(debounced(), on: scheduler)
    for (value, second) in [(1, 0), (2, 4), (3, 13), (4, 30)] { scheduler.at(Double(second)) { source.send(value) } }
    scheduler.run()
    #expect(recorder.log == ["3@23", "4@40"])
  }

  @Test func `delivers a value exactly when its interval ends`() {
    let recorder = record(debounced(), on: scheduler)
    source.send(1)
    scheduler.advance(by: 9.9)
    #expect(recorder.log == [])
    scheduler.advance(by: 0.1)
    #expect(recorder.log == ["1@10"])
  }

  @Test func `drops the waiting value when upstream finishes, and finishes on the scheduler`() {
    let recorder = record(debounced(), on: scheduler)
    source.send(1)
    scheduler.advance(by: 3)
    source.finish()
    #expect(recorder.log == [])
    scheduler.run()
    #expect(recorder.log == ["finished@3"])
  }

  @Test func `delivers a failure on the scheduler`() {
    let recorder = record(debounced(), on: scheduler)
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == [])
    scheduler.advance()
    #expect(recorder.log == ["first@0"])
  }

  @Test func `arms one action for any number of values, unlike Combine, which schedules one for each`() {
    record(debounced())
    for value in 0..<1_000 {
      source.send(value)
      #expect(scheduler.pendingCount == 1)
      scheduler.advance(by: .milliseconds(1))
    }
    scheduler.run()
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `has nothing scheduled before the first value`() {
    record(debounced())
    #expect(source.subscriberCount == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `has nothing scheduled after cancellation`() {
    let recorder = record(debounced())
    source.send(1)
    recorder.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(recorder.log == [])
  }

  @Test func `requests unlimited demand and keeps to downstream's demand`() {
    let recorder = record(debounced(), .max(1), on: scheduler)
    #expect(source.requests == [.unlimited])
    source.send(1)
    scheduler.run()
    source.send(2)
    scheduler.run()
    #expect(recorder.log == ["1@10"])
    recorder.request(.max(1))
    source.send(3)
    scheduler.run()
    #expect(recorder.log == ["1@10", "3@30"])
  }

  @Test func `debounces a value that is sent during a delivery`() {
    let recorder = SignalRecorder<Int, TestError>(on: scheduler)
    recorder.onValue = { value in
      if value < 3 { source.send(value + 1) }
      return .none
    }
    debounced().subscribe(recorder)
    source.send(1)
    scheduler.run()
    #expect(recorder.log == ["1@10", "2@20", "3@30"])
  }
}
