public import Dispatch
public import Streams

/// A main-queue scheduler that runs actions inline if the caller is already on the main queue.
///
/// `DispatchQueue.main` enqueues every action, so even a value that's sent on the main queue may arrive a frame late. This
/// scheduler hops only when it has to:
///
/// ```swift
/// publisher.receive(on: MainQueueScheduler.shared).assign(to: &$title)
/// ```
///
/// - Order: ``shared`` runs an action inline if the caller is on the main queue, perhaps ahead of actions that other threads
///   submitted earlier. If that matters, create a scheduler with ``Order/strict``.
/// - Dates: an action with a date always goes through the queue, even if the date has passed.
/// - Options have no effect on actions that run inline.
/// - Cost: an inline action takes one lookup of a queue-specific value. Any other action is one block on the queue, or a timer
///   if it has a date.
///
/// It detects the main queue by a queue-specific value, never by the thread, because outside Apple's platforms, the main queue
/// may run on another thread.
///
/// It has `DispatchQueue`'s time and options, so you can erase it to an `AnySchedulerOf<DispatchQueue>`.
public struct MainQueueScheduler: Scheduler, Sendable {
  /// A point in a dispatch queue's time.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

  /// Options for actions that go through the queue.
  public typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  /// The order in which actions run.
  public enum Order: Hashable, Sendable {
    /// Immediately runs an action that you schedule from the main queue, ahead of all waiting actions.
    case inline

    /// Runs actions without a date in the order in which you schedule them with this scheduler and its copies.
    ///
    /// If you schedule an action from the main queue while no other is waiting or running, the action runs immediately.
    /// Otherwise, it goes through the queue.
    case strict
  }

  /// The scheduler that runs actions inline whenever the caller is on the main queue.
  public static let shared = MainQueueScheduler(order: .inline)

  private let backlog: Backlog?

  /// The order in which actions run.
  public var order: Order { backlog == nil ? .inline : .strict }

  /// Creates a scheduler with an order.
  ///
  /// Each scheduler that you create with ``Order/strict`` keeps its own order.
  ///
  /// - Parameter order: The order in which actions run.
  public init(order: Order) {
    backlog = order == .strict ? Backlog() : nil
  }

  /// The current time.
  public var now: SchedulerTimeType { DispatchQueue.main.now }

  /// Zero, the smallest tolerance that dispatch timers use.
  public var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.main.minimumTolerance }

  /// Runs an action inline if the caller is on the main queue and the order permits it, otherwise through the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownExecutionEnvironment.install
    guard let backlog else {
      return MainQueue.isCurrent ? action() : DispatchQueue.main.schedule(options: options, action)
    }
    let isAlone = backlog.enter()
    if isAlone && MainQueue.isCurrent {
      action()
      backlog.leave()
    } else {
      DispatchQueue.main.schedule(options: options) {
        action()
        backlog.leave()
      }
    }
  }

  /// Runs an action on the main queue at or after a date.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action on the main queue at a date, then repeats it after each interval until you cancel the returned object.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(
      after: date, interval: interval, tolerance: tolerance, options: options, action)
  }

  /// Runs an action on the main queue once, at or after a date, unless you cancel it first.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    DispatchQueue.main.scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }
}

/// The number of a strict scheduler's actions that are waiting or running.
private final class Backlog: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the count.
  private let count = Locked(0)

  /// Adds an action and returns whether it's the only one.
  func enter() -> Bool {
    count.withLock { count in
      count += 1
      return count == 1
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
