import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Streams that are told to stop, and lose nothing that was accepted.
struct DrainTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()
  private let stop = PassthroughSubject<Void, Never>()

  /// The values pass a scheduler and a delay of a second.
  private func drained(
    within interval: DispatchQueue.SchedulerTimeType.Stride = .seconds(5), delay: Int = 1,
    lost: @escaping (Int) -> Void = { Issue.record("\($0) values were lost") }
  ) -> some Publisher<Int, TestError> {
    source.drain(when: stop, within: interval, scheduler: scheduler) { [scheduler] values in
      values.receive(on: scheduler).delay(for: .seconds(delay), scheduler: scheduler)
    } lost: {
      lost($0)
    }
  }

  @Test func `what was sent passes, and then the stream finishes`() {
    let recorder = record(source.finish(when: stop).delay(for: .seconds(1), scheduler: scheduler), on: scheduler)
    for value in 1...3 { source.send(value) }
    stop.send(())
    #expect(source.cancelCount == 1)
    source.send(4)
    scheduler.run()
    #expect(recorder.log == ["1@1", "2@1", "3@1", "finished@1"])
  }

  @Test func `within the time nothing is lost, and no timer is left`() {
    let recorder = record(drained(), on: scheduler)
    for value in 1...3 { source.send(value) }
    scheduler.advance(by: .milliseconds(500))
    stop.send(())
    #expect(source.cancelCount == 1)
    scheduler.advance(by: .seconds(1))
    #expect(recorder.values == [1, 2, 3] && recorder.completions.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `when the time has elapsed, the number of values is reported before the stream finishes`() {
    let journal = Journal()
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onCompletion = { journal.note("finished") }
    drained(within: .seconds(2), delay: 3) { journal.note("\($0) lost") }.subscribe(recorder)
    source.send(1)
    scheduler.advance(by: .seconds(2))
    for value in 2...4 { source.send(value) }
    stop.send(())
    scheduler.run()
    #expect(recorder.values == [1])
    #expect(journal.all == ["3 lost", "finished"])
  }

  @Test func `values that downstream has not requested are lost when the time has elapsed`() {
    let losses = Journal()
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    source.drain(when: stop, within: .seconds(2), scheduler: scheduler) {
      $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)
    } lost: {
      losses.note("\($0)")
    }.subscribe(recorder)
    for value in 1...3 { source.send(value) }
    stop.send(())
    scheduler.advance(by: .seconds(1))
    recorder.request(.max(1))
    scheduler.run()
    #expect(recorder.log == ["1", "2", "finished"])
    #expect(losses.all == ["1"])
  }

  @Test func `a value counts as received when downstream has returned`() {
    let losses = Journal()
    let recorder = SignalRecorder<Int, TestError>()
    drained(within: .seconds(2), delay: 1) { losses.note("\($0)") }.subscribe(recorder)
    recorder.onValue = { [scheduler] _ in
      // The time elapses while a value is handled.
      scheduler.advance(by: .seconds(3))
      return .none
    }
    source.send(1)
    stop.send(())
    scheduler.run()
    #expect(recorder.log == ["1", "finished"])
    #expect(losses.all == ["0"])
  }

  @Test func `failures, demand and cancellation pass through the operators`() {
    let recorder = SignalRecorder<Int, TestError>(.max(2))
    source.drain(when: stop, within: .seconds(2), scheduler: scheduler) {
      $0.map { $0 * 10 }
    } lost: { _ in
    }
    .subscribe(recorder)
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.fail(.first)
    #expect(recorder.log == ["10", "first"])
    #expect(scheduler.pendingCount == 0)

    let cancelled = ManualSource<Int, TestError>()
    let second = record(
      cancelled.drain(when: stop, within: .seconds(2), scheduler: scheduler) {
        $0
      } lost: { _ in
      })
    stop.send(())
    second.cancel()
    #expect(cancelled.cancelCount == 1)
    scheduler.run()
    #expect(second.log == ["finished"])
  }

  @Test func `a stream that is stopped before it begins finishes at once`() {
    let stopped = CurrentValueSubject<Int, Never>(1)
    let recorder = record(
      source.drain(when: stopped, within: .seconds(2), scheduler: scheduler) {
        $0
      } lost: { _ in
      })
    #expect(recorder.log == ["finished"])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `no acknowledged value is lost at a stop under load`() {
    let (acknowledged, lost) = StopStorm.run(stops: 10, acknowledged: 200)
    #expect(acknowledged > 1_000)
    #expect(lost == 0)
  }
}
