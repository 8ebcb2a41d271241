import StreamTesting
import Streams

/// Publishes the first value at once and then the latest value of each interval.
private struct Paced<Upstream: Publisher, Context: Scheduler>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Context.SchedulerTimeType.Stride
  let scheduler: Context
  let isFaulty: Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(PacedSubscription(interval, scheduler, isFaulty, subscriber))
  }
}

private final class PacedSubscription<Context: Scheduler, Downstream: Subscriber>:
  OperatorSubscription<Downstream.Input, Downstream>
{
  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let isFaulty: Bool
  private var waiting: Downstream.Input?
  private var waitingCompletion: Subscribers.Completion<Failure>?
  private var timer: (any Cancellable)?

  init(
    _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ isFaulty: Bool, _ downstream: Downstream
  ) {
    self.interval = interval
    self.scheduler = scheduler
    self.isFaulty = isFaulty
    super.init(downstream)
  }

  override func take(_ input: Downstream.Input) {
    if timer == nil {
      startInterval()
      send(input)
    } else {
      waiting = input
    }
  }

  private func startInterval() {
    let date = scheduler.now.advanced(by: interval)
    timer = scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { [weak self] in self?.endInterval() }
  }

  private func endInterval() {
    timer = nil
    guard let value = waiting.take() else { return }
    if waitingCompletion == nil { startInterval() }
    send(value)
    if let completion = waitingCompletion { end(completion) }
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
    // The fault: the completion overtakes the value that waits for the end of its interval.
    if waiting != nil, !isFaulty {
      waitingCompletion = completion
    } else {
      timer?.cancel()
      end(completion)
    }
  }

  override func cancel() {
    timer?.cancel()
    super.cancel()
  }
}

extension PlantedFault {
  /// After apple/swift-async-algorithms#248.
  ///
  /// Shown by `a`, `b` and the end within 500 ms.
  static var lostAtTheEnd: Self {
    PlantedFault("the throttle that loses the last value at the end", origin: "museum 61") { isFaulty in
      .letters { letters, scheduler in
        let interval = Property.Stride.milliseconds(500)
        let recorder = scheduler.record(
          Paced(upstream: letters, interval: interval, scheduler: scheduler, isFaulty: isFaulty))
        scheduler.run()

        let published = recorder.published
        for (one, next) in zip(published, published.dropFirst()) {
          try claim(next.time - one.time >= interval, "\(next.value) follows \(one.value) within the interval")
        }
        try claim(published.first?.value == letters.sent.first?.value, "the first letter is not published first")
        try claim(
          published.last?.value == letters.sent.last?.value,
          "the last letter of \(letters.events) is not the last one of \(recorder.events)")
        try claim(recorder.completion == letters.end?.completion, "the end of \(recorder.events) is wrong")
      }
    }
  }
}
