internal import Dispatch
public import Foundation
internal import StreamSchedulers
public import Streams

/// An operation queue runs work as operations.
///
/// - Order: that of the queue's operations of normal priority. A suspended queue keeps them until it goes on.
/// - Work with a date is an operation from the start: `operationCount` counts it, and `cancelAllOperations()` cancels it.
///   It is not ready before its date and takes no other operation's turn until then; afterwards it runs when the queue
///   gets to it. What waits for all operations, or as a barrier, waits for it too.
/// - An operation queue knows no dates: a timer of Dispatch tells when one has come. Dates are turned into a waiting time
///   when work is scheduled; setting the clock afterwards does not change it.
/// - Cost: an operation for each run, and a timer and another operation, which is in no queue, for work with a date.
extension OperationQueue: Scheduler {
  /// The present moment.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// The smallest tolerance that makes a difference: none.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownSurroundings.install
    let work = HandedOver(action)
    addOperation { work.value() }
  }

  /// Runs work at a date or later.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled or let go of.
  ///
  /// There is one operation at a time, for the next run, so that runs do not overlap: one that becomes due while the one
  /// before still waits for the queue or runs is left out. Cancelling the operation, as `cancelAllOperations()` does, ends
  /// the work. An interval of zero or less is a mistake, which is reported; the work then runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "OperationQueue") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return AnyCancellable(
      OperationTimer(on: self, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action))
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  ///
  /// Cancelling disarms the timer and cancels the operation, which leaves the queue as soon as the queue gets to it. What
  /// is returned need not be kept.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    OperationTimer(on: self, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }
}

/// Work that operations of a queue run, once or again and again.
private final class OperationTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything in `State`. The work is
  // called by operations alone, one after the other.
  private let state: Locked<State>
  private let repeats: Bool
  // Kept by the timer, as whoever schedules expects.
  private weak var queue: OperationQueue?

  private struct State {
    var action: (() -> Void)?
    var timer: DispatchTimer?
    // The queue holds it, and it holds this.
    weak var operation: DatedOperation?
  }

  init(
    on queue: OperationQueue, at date: Date, every interval: TimeInterval?, tolerance: TimeInterval,
    _ action: @escaping () -> Void
  ) {
    state = Locked(State(action: action))
    repeats = interval != nil
    self.queue = queue
    addOperation()
    // Nobody waits for these timers but operations that are about to start, and they do next to nothing.
    let timer = DispatchTimer(
      on: .global(qos: queue.qualityOfService.dispatchClass), at: .now() + max(0, date.timeIntervalSinceNow),
      every: interval.map { max(1, Int(saturating: $0 * 1_000_000_000)) },
      tolerance: Int(saturating: tolerance * 1_000_000_000), options: nil
    ) { withExtendedLifetime(queue) { self.dateHasCome() } }
    // It may have fired, and the work may be done or cancelled, before it could be kept.
    let isOver = state.withLock { state in
      guard state.action != nil else { return true }
      state.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }

  /// Adds the operation for the next run, unless the work has been cancelled.
  private func addOperation() {
    let operation = DatedOperation(self)
    let isWanted = state.withLock { state in
      guard state.action != nil else { return false }
      state.operation = operation
      return true
    }
    if isWanted { queue?.addOperation(operation) }
  }

  private func dateHasCome() { state.withLock { $0.operation }?.dateHasCome() }

  fileprivate func run() {
    let current = state.withLock { state in
      let current = state
      if !repeats { state = State() }
      return current
    }
    current.action?()
    if repeats { addOperation() }
  }

  func cancel() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    old.timer?.cancel()
    old.operation?.cancel()
  }
}

/// One run, which is not ready before its date: it depends on an operation that is in no queue, and which is run when the
/// date has come.
private final class DatedOperation: Operation, @unchecked Sendable {
  // `Sendable` is unchecked, as it is for `Operation`: all fields are constants, and safe to use from any thread.
  private let work: OperationTimer
  private let date = BlockOperation {}
  private let hasDateCome = Locked(false)

  init(_ work: OperationTimer) {
    self.work = work
    super.init()
    addDependency(date)
  }

  override func main() { work.run() }

  /// Makes the operation ready.
  func dateHasCome() {
    let isNews = hasDateCome.withLock { hasCome in
      defer { hasCome = true }
      return !hasCome
    }
    if isNews { date.start() }
  }

  /// Cancels the work, and leaves the queue without waiting for the date.
  override func cancel() {
    super.cancel()
    dateHasCome()
    work.cancel()
  }
}

extension QualityOfService {
  fileprivate var dispatchClass: DispatchQoS.QoSClass {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    case .default: .default
    @unknown default: .default
    }
  }
}
