import StreamTesting
import Streams

private enum BatchesFault {
  case none
  case timerIsNotArmedAgain
  case timerIsNotCancelled
}

/// Publishes values in batches: as soon as one is full, or when its first value has waited for an interval.
private struct Batches<Upstream: Publisher, Context: Scheduler>: Publisher {
  typealias Output = [Upstream.Output]
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let size: Int
  let interval: Context.SchedulerTimeType.Stride
  let scheduler: Context
  let fault: BatchesFault

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(BatchesSubscription<Upstream.Output, _, _>(size, interval, scheduler, fault, subscriber))
  }
}

private final class BatchesSubscription<Input, Context: Scheduler, Downstream: Subscriber>:
  OperatorSubscription<Input, Downstream>
where Downstream.Input == [Input] {
  private let size: Int
  private let interval: Context.SchedulerTimeType.Stride
  private let scheduler: Context
  private let fault: BatchesFault
  private var batch: [Input] = []
  private var timer: (any Cancellable)?

  init(
    _ size: Int, _ interval: Context.SchedulerTimeType.Stride, _ scheduler: Context, _ fault: BatchesFault,
    _ downstream: Downstream
  ) {
    self.size = size
    self.interval = interval
    self.scheduler = scheduler
    self.fault = fault
    super.init(downstream)
  }

  override func take(_ input: Input) {
    batch.append(input)
    if batch.count == size {
      switch fault {
      case .none:
        timer?.cancel()
        timer = nil
      case .timerIsNotArmedAgain:
        // The fault: a timer that is no longer armed is still taken for one that is.
        timer?.cancel()
      case .timerIsNotCancelled:
        // The fault: the timer of the full batch goes off in the middle of the next one.
        break
      }
      flush()
    } else if timer == nil {
      let date = scheduler.now.advanced(by: interval)
      timer = scheduler.scheduleOnce(after: date, tolerance: .zero, options: nil) { [weak self] in
        self?.timer = nil
        self?.flush()
      }
    }
  }

  private func flush() {
    if batch.isEmpty { return }
    let full = batch
    batch = []
    send(full)
  }

  override func receive(completion: Subscribers.Completion<Failure>) {
    timer?.cancel()
    if case .finished = completion { flush() }
    end(completion)
  }

  override func cancel() {
    timer?.cancel()
    super.cancel()
  }
}

private func property(_ fault: BatchesFault) -> Property {
  .letters { letters, scheduler in
    let interval = Property.Stride.seconds(1)
    let recorder = scheduler.record(
      Batches(upstream: letters, size: 2, interval: interval, scheduler: scheduler, fault: fault))
    scheduler.run()

    try claim(
      recorder.values.flatMap(\.self), equals: letters.sent.map(\.value), "each letter is in one batch, in order")
    var rest = letters.sent[...]
    for batch in recorder.published {
      let members = rest.prefix(batch.value.count)
      rest = rest.dropFirst(batch.value.count)
      guard let first = members.first, let last = members.last, members.count <= 2 else {
        throw PropertyViolation("a batch is empty or too large: \(recorder.events)")
      }
      let due = first.time + interval
      let time = members.count == 2 ? last.time : min(due, letters.end?.time ?? due)
      try claim(batch.time == time, "a batch is not published at \(time) in \(recorder.events)")
    }
    try claim(recorder.completion == letters.end?.completion, "the end of \(recorder.events) is wrong")
  }
}

extension PlantedFault {
  /// After dotnet/reactive#70.
  ///
  /// Shown by `ab` within a second, and `c`, which waits for more than a second.
  static var timerNotArmedAgain: Self {
    PlantedFault("the batches without a timer after a full one", origin: "museum 28") { isFaulty in
      property(isFaulty ? .timerIsNotArmedAgain : .none)
    }
  }

  /// After ReactiveX/RxJava#5426.
  ///
  /// Shown by `abc` within a second.
  static var timerNotCancelled: Self {
    PlantedFault("the timer of a full batch that cuts the next one short", origin: "museum 27") { isFaulty in
      property(isFaulty ? .timerIsNotCancelled : .none)
    }
  }
}
