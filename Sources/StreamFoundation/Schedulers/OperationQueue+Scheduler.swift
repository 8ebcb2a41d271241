internal import Dispatch
public import Foundation
internal import StreamSchedulers
public import Streams

/// An operation queue is a scheduler that runs actions as operations.
///
/// - Order: the order in which the queue runs operations of normal priority. A suspended queue keeps them until it's
///   resumed.
/// - An action with a date is an operation from the start: `operationCount` counts it, and `cancelAllOperations()` cancels it. It
///   isn't ready before its date and doesn't delay other operations until then. Barriers, and calls that wait for all operations,
///   wait for it, too.
/// - Dates are converted to delays of dispatch timers when an action is scheduled, because an operation queue doesn't
///   have timers. Changing the system clock afterward has no effect.
/// - Cost: an operation for each run. An action with a date also needs a timer, and for each run a second operation
///   that isn't added to a queue.
extension OperationQueue: Scheduler {
  /// The current date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Zero, the smallest tolerance that the timers use.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs an action as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownExecutionEnvironment.install
    let work = UnsafeTransfer(action)
    addOperation { work.value() }
  }

  /// Runs an action at or after the given date.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action at or after the given date, and again after each interval, until you cancel the repetition.
  ///
  /// The queue holds only one operation for the repetition at a time, so runs never overlap. A run that's due while the previous
  /// one is running or waiting is skipped. Cancelling the operation, for example with `cancelAllOperations()`, ends the
  /// repetition. An interval of zero or less is reported, and the action runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "OperationQueue") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return Repetition(
      OperationTimer(
        on: self, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action))
  }

  /// Runs an action once, at or after the given date, unless you cancel it first.
  ///
  /// Cancelling disarms the timer and cancels the operation, which the queue then drops when it gets to it.
  @_disfavoredOverload
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    OperationTimer(on: self, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }
}

extension OperationQueue: InspectedQueue {
  package var label: String { name ?? "" }

  package var isMain: Bool { self === OperationQueue.main }
}

/// An action that a queue's operations run, once or repeatedly.
private final class OperationTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` isn't marked: the lock protects everything in `State`. Only operations
  // call the action, one after the other.
  private let state: Locked<State>
  private let repeats: Bool
  // The timer retains the queue, as callers expect of scheduled work.
  private weak var queue: OperationQueue?

  private struct State {
    var action: (() -> Void)?
    var timer: DispatchTimer?
    // The queue retains the operation, and the operation retains this object.
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
    // Only operations that are about to start depend on these timers, and the timers' handlers do next to nothing.
    let timer = DispatchTimer(
      on: .global(qos: queue.qualityOfService.dispatchClass), at: .now() + max(0, date.timeIntervalSinceNow),
      every: interval.map { max(1, Int(saturating: $0 * 1_000_000_000)) },
      tolerance: Int(saturating: tolerance * 1_000_000_000), options: nil
    ) { withExtendedLifetime(queue) { self.dateHasCome() } }
    // The timer may have fired, and the action may have run or been cancelled, before it could be stored.
    let isOver = state.withLock { state in
      guard state.action != nil else { return true }
      state.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }

  /// Adds the operation for the next run, unless the action has been cancelled.
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

/// The operation of one run. It depends on an operation that isn't in a queue and runs at the date.
private final class DatedOperation: Operation, @unchecked Sendable {
  // `Sendable` is unchecked, as it is for `Operation`: all stored properties are constants and thread-safe.
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

  /// Cancels the action, and leaves the queue without waiting for the date.
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
