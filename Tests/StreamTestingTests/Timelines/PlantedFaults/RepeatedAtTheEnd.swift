import StreamAlgorithms
import StreamTesting
import Streams

/// Publishes a value once no other has followed it for an interval, and at the end the value that still waits.
private struct Settled<Upstream: Publisher, Context: Scheduler>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let interval: Context.SchedulerTimeType.Stride
  let scheduler: Context
  let isFaulty: Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(SettledSubscription(interval, scheduler, isFaulty, subscriber))
  }
}

private final class SettledSubscription<Context: Scheduler, Downstream: Subscriber>:
  OperatorSubscription<Downstream.Input, Downstream>
{
  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let isFaulty: Bool
  private var pending: Downstream.Input?
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
    pending = input
    timer?.cancel()
    let date = scheduler.now.advanced(by: interval)
    timer = scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { [weak self] in self?.settle() }
  }

  private func settle() {
    guard let value = pending else { return }
    // The fault: the value is still pending after it has been published.
    if !isFaulty { pending = nil }
    send(value)
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
    timer?.cancel()
    if case .finished = completion { settle() }
    end(completion)
  }

  override func cancel() {
    timer?.cancel()
    super.cancel()
  }
}

extension PlantedFault {
  /// After cx-org/CombineX#46.
  ///
  /// Shown by `a`, and the end after more than 300 ms.
  static var repeatedAtTheEnd: Self {
    PlantedFault("the debounce that repeats its value at the end", origin: "museum 68") { isFaulty in
      .letters { letters, scheduler in
        let interval = Property.Stride.milliseconds(300)
        let recorder = scheduler.record(
          Settled(upstream: letters, interval: interval, scheduler: scheduler, isFaulty: isFaulty))
        scheduler.run()

        let sent = letters.sent
        var expected: [Recorded<String, Never, Property.Stride>] = []
        for (index, letter) in sent.enumerated() {
          let due = letter.time + interval
          let isReplaced = sent.dropFirst(index + 1).first.map { next in
            scheduler.hotEventsComeFirst ? next.time <= due : next.time < due
          }
          if isReplaced == true { continue }
          expected.append(.next(at: min(due, letters.end?.time ?? due), letter.value))
        }
        if let end = letters.end { expected.append(.completed(at: end.time)) }
        try claim(recorder.events, equals: expected, "each letter that settles is published once")
      }
    }
  }
}
