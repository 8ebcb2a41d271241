import StreamTesting
import Streams

private enum LaggingFault {
  case none
  case failureBecomesEnd
  case cancellationLeavesTimers
}

/// Publishes each value after an interval, and the completion at once or after the last value.
private struct Lagging<Upstream: Publisher, Context: Scheduler>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Context.SchedulerTimeType.Stride
  let scheduler: Context
  let fault: LaggingFault

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(LaggingSubscription(interval, scheduler, fault, subscriber))
  }
}

/// Demand passes through, since each value causes one.
private final class LaggingSubscription<Context: Scheduler, Downstream: Subscriber>: Subscriber, Subscription {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let fault: LaggingFault
  private let downstream: Downstream
  private var upstream: (any Subscription)?
  private var timers: [any Cancellable] = []
  private var completion: Subscribers.Completion<Failure>?

  init(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ fault: LaggingFault, _ downstream: Downstream
  ) {
    self.interval = interval
    self.scheduler = scheduler
    self.fault = fault
    self.downstream = downstream
  }

  func receive(subscription: any Subscription) {
    upstream = subscription
    downstream.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let date = scheduler.now.advanced(by: interval)
    timers.append(scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { self.deliver(input) })
    return .none
  }

  private func deliver(_ input: Input) {
    // All timers have the same interval, so the first one goes off first.
    timers.removeFirst()
    let demand = downstream.receive(input)
    if demand > .none { upstream?.request(demand) }
    if timers.isEmpty, let completion { downstream.receive(completion: completion) }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    upstream = nil
    if timers.isEmpty {
      downstream.receive(completion: completion)
    } else {
      // The fault: after the last value, that upstream has ended is known, but not how.
      self.completion = fault == .failureBecomesEnd ? .finished : completion
    }
  }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    upstream?.cancel()
    upstream = nil
    // The fault: only upstream is cancelled, and not the values that are on their way.
    if fault == .cancellationLeavesTimers { return }
    for timer in timers { timer.cancel() }
    timers = []
    completion = nil
  }
}

extension PlantedFault {
  /// After apple/swift-async-algorithms#450.
  ///
  /// Shown by `a`, and a failure within 200 ms.
  static var failureBecomesEnd: Self {
    PlantedFault("the delay that turns a failure into an end", origin: "museum 65") { isFaulty in
      .failingLetters { letters, scheduler in
        let interval = Property.Stride.milliseconds(200)
        let recorder = scheduler.record(
          Lagging(
            upstream: letters, interval: interval, scheduler: scheduler, fault: isFaulty ? .failureBecomesEnd : .none))
        scheduler.run()

        var expected: [Recorded<String, TestError, Property.Stride>] = letters.sent.map {
          .next(at: $0.time + interval, $0.value)
        }
        if let end = letters.end {
          expected.append(
            Recorded(time: max(end.time, expected.last?.time ?? end.time), event: .completion(end.completion)))
        }
        try claim(recorder.events, equals: expected, "the letters come later, and the end stays what it is")
      }
    }
  }

  /// After ReactiveX/RxSwift#1778.
  ///
  /// Shown by `a`, and a cancellation within 200 ms.
  static var valueAfterCancellation: Self {
    PlantedFault("the delay that publishes after the cancellation", origin: "museum 56") { isFaulty in
      .lettersAndCancellation { letters, cancellation, scheduler in
        // A recorder would hide what arrives after its cancellation.
        let recorder = SignalRecorder<String, Never>()
        Lagging(
          upstream: letters, interval: .milliseconds(200), scheduler: scheduler,
          fault: isFaulty ? .cancellationLeavesTimers : .none
        ).subscribe(recorder)
        var logAtCancellation: [String]?
        scheduler.schedule(at: cancellation) {
          recorder.cancel()
          logAtCancellation = recorder.log
        }
        scheduler.run()

        if let logAtCancellation {
          try claim(recorder.log, equals: logAtCancellation, "nothing follows the cancellation")
        } else {
          try claim(recorder.values, equals: letters.sent.map(\.value), "each letter is published")
          try claim(recorder.completions.count == (letters.end == nil ? 0 : 1), "the end is wrong: \(recorder.log)")
        }
      }
    }
  }
}
