internal import Dispatch
public import Foundation
public import Streams

/// An operation queue runs work as operations.
///
/// - Order: that of the queue's operations of normal priority. A suspended queue keeps them until it goes on.
/// - An operation queue knows no dates. Work waits for its date on a timer of Dispatch and becomes an operation when
///   the date has come, so it runs then or, if the queue has other work, later. Dates are turned into a waiting time
///   when work is scheduled; setting the clock afterwards does not change it.
/// - Cost: an operation for each run, and a timer for work with a date.
extension OperationQueue: Scheduler {
  /// The present moment.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// The smallest tolerance that makes a difference: none.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
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
  /// A run that becomes due while the one before still waits for the queue is left out. An interval of zero or less is
  /// a mistake, which is reported; the work then runs once.
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
  /// Cancelling disarms the timer; if the date has come and the operation is waiting for the queue, the operation is
  /// cancelled. What is returned need not be kept.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    OperationTimer(on: self, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }
}

/// Work that becomes an operation of a queue when its date has come, once or again and again.
private final class OperationTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects everything in `State`. The work is
  // called by operations alone, one after the other unless the queue runs several at once and the work takes longer
  // than its interval.
  private let state: Locked<State>
  private let repeats: Bool

  private struct State {
    var action: (() -> Void)?
    var timer: DispatchTimer?
    // The queue holds it as long as it waits. A user who cancels the queue's operations cancels this run only.
    weak var operation: Operation?
  }

  init(
    on queue: OperationQueue, at date: Date, every interval: TimeInterval?, tolerance: TimeInterval,
    _ action: @escaping () -> Void
  ) {
    state = Locked(State(action: action))
    repeats = interval != nil
    // Nobody waits for these timers but operations that are about to start, and they do next to nothing.
    let timer = DispatchTimer(
      on: .global(qos: queue.qualityOfService.dispatchClass), at: .now() + max(0, date.timeIntervalSinceNow),
      every: interval.map { max(1, Int(saturating: $0 * 1_000_000_000)) },
      tolerance: Int(saturating: tolerance * 1_000_000_000), options: nil
    ) { self.dateHasCome(for: queue) }
    // It may have fired, and work that runs once may have been cancelled by it, before it could be kept.
    let isOver = state.withLock { state in
      guard state.action != nil else { return true }
      state.timer = timer
      return false
    }
    if isOver { timer.cancel() }
  }

  private func dateHasCome(for queue: OperationQueue) {
    let operation = BlockOperation { self.run() }
    let isWanted = state.withLock { state in
      guard state.action != nil, state.operation == nil else { return false }
      state.operation = operation
      return true
    }
    if isWanted { queue.addOperation(operation) }
  }

  private func run() {
    let current = state.withLock { state in
      let current = state
      if repeats { state.operation = nil } else { state = State() }
      return current
    }
    current.action?()
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
