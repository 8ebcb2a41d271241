import Dispatch
import StreamAlgorithms
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

  /// Sends forty values to operators that have room for sixteen, and returns what came out, and the losses.
  private func booked(
    _ source: some Publisher<Int, Never>, within interval: DispatchQueue.SchedulerTimeType.Stride = .seconds(5),
    to orders: PassthroughSubject<Int, Never>,
    through operators: @escaping (AnyPublisher<Int, Never>) -> some Publisher<Int, Never> = { $0 }
  ) -> (values: [Int], losses: [String]) {
    let losses = Journal()
    let recorder = record(
      source.drain(when: stop, within: interval, scheduler: scheduler) { [scheduler] values in
        operators(values.eraseToAnyPublisher()).flatMap(maxTasks: 16, on: scheduler) { value in
          try? await scheduler.sleep(for: .seconds(1))
          return value
        }
      } lost: {
        losses.note("\($0)")
      })
    for order in 1...40 { orders.send(order) }
    stop.send(())
    scheduler.run()
    #expect(recorder.completions.count == 1)
    return (recorder.values.sorted(), losses.all)
  }

  @Test func `what a subject refuses because it was not requested is counted`() {
    let orders = PassthroughSubject<Int, Never>()
    #expect(booked(orders, to: orders) == (Array(1...16), ["24"]))
    let mapped = orders.map { $0 + 1 }.filter { $0 > 1 }.eraseToAnyPublisher()
    #expect(booked(mapped, to: orders) == (Array(2...17), ["24"]))
    #expect(booked(orders, within: .milliseconds(500), to: orders) == ([], ["40"]))
  }

  @Test func `a buffer before the operators loses nothing, and what it has no room for is counted`() {
    let orders = PassthroughSubject<Int, Never>()
    let kept = booked(orders, to: orders) { $0.buffer(bounded: 100, whenFull: .wait) }
    #expect(kept == (Array(1...40), []))
    // Twenty values are requested, and sixteen more as these leave the buffer.
    let full = booked(orders, to: orders) { $0.buffer(bounded: 20, whenFull: .wait) }
    #expect(full == (Array(1...36), ["4"]))
  }

  @Test func `what a subject refuses is counted when it finishes or fails without a stop`() {
    let failing = PassthroughSubject<Int, TestError>()
    let journal = Journal()
    let recorder = SignalRecorder<Int, TestError>(.max(1))
    recorder.onCompletion = { journal.note("end") }
    failing.drain(when: stop, within: .seconds(1), scheduler: scheduler) {
      $0
    } lost: {
      journal.note("\($0) lost")
    }.subscribe(recorder)
    for value in 1...3 { failing.send(value) }
    failing.send(completion: .failure(.first))
    #expect(recorder.log == ["1", "first"])
    #expect(journal.all == ["2 lost", "end"])
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
