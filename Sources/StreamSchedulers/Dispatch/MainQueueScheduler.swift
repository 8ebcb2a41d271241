public import Dispatch
public import Streams

/// A scheduler that runs actions on the main queue, inline if the caller is already on it.
///
/// `DispatchQueue.main` runs every action in a later turn, so that a value that is already on the main queue arrives
/// one frame late. This scheduler hops only when it has to:
///
/// ```swift
/// publisher.receive(on: MainQueueScheduler.shared).assign(to: &$title)
/// ```
///
/// - Order: ``shared`` runs actions inline on the main queue, which may put them ahead of actions that other threads
///   have submitted before. If that matters, create a scheduler with ``Order/strict``.
/// - Dates: an action with a date always goes through the queue, even if the date has passed.
/// - Options have no effect on actions that run inline.
/// - Cost: one lookup of a queue-specific value for an inline action, otherwise one block of the queue.
///
/// It detects the main queue by a queue-specific value and never by the thread: outside Apple's platforms, the main
/// queue need not run on the main thread.
///
/// Its time and options are those of `DispatchQueue`, so it can be used as an `AnySchedulerOf<DispatchQueue>`.
public struct MainQueueScheduler: Scheduler, Sendable {
  /// A point in the time of dispatch queues.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

  /// Options for actions that go through the queue.
  public typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  /// The order in which actions run.
  public enum Order: Hashable, Sendable {
    /// An action that is scheduled on the main queue runs at once, ahead of all that are waiting.
    case inline

    /// Actions run in the order in which they were scheduled with this scheduler and its copies: at once on the main
    /// queue if none of them is waiting or running, otherwise through the queue.
    case strict
  }

  /// The scheduler that runs actions inline whenever the caller is on the main queue.
  public static let shared = MainQueueScheduler(order: .inline)

  private let backlog: Backlog?

  /// The order in which actions run.
  public var order: Order { backlog == nil ? .inline : .strict }

  /// Creates a scheduler with an order.
  ///
  /// Each scheduler created with ``Order/strict`` keeps an order of its own, independent of all others.
  ///
  /// - Parameter order: The order in which actions run.
  public init(order: Order) {
    backlog = order == .strict ? Backlog() : nil
  }

  /// The current time.
  public var now: SchedulerTimeType { DispatchQueue.main.now }

  /// Zero, the smallest tolerance that dispatch timers make use of.
  public var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.main.minimumTolerance }

  /// Runs an action inline on the main queue if its order permits, or as soon as the queue gets to it.
  ///
  /// - Parameters:
  ///   - options: Options for an action that goes through the queue.
  ///   - action: The action to run.
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

  /// Runs an action on the main queue at a date or later.
  ///
  /// - Parameters:
  ///   - date: The earliest date at which to run the action.
  ///   - tolerance: The leeway of the timer.
  ///   - options: The quality of service, the flags and the group of the action.
  ///   - action: The action to run.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action on the main queue at a date, and again after each interval, until it is cancelled.
  ///
  /// - Parameters:
  ///   - date: The date of the first run.
  ///   - interval: The time between two runs.
  ///   - tolerance: The leeway of the timer.
  ///   - options: The quality of service, the flags and the group of the action.
  ///   - action: The action to run.
  /// - Returns: A cancellable that stops the repetition. Releasing it stops the repetition too.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(
      after: date, interval: interval, tolerance: tolerance, options: options, action)
  }

  /// Runs an action on the main queue once, at a date or later, unless it is cancelled before.
  ///
  /// - Parameters:
  ///   - date: The earliest date at which to run the action.
  ///   - tolerance: The leeway of the timer.
  ///   - options: The quality of service, the flags and the group of the action.
  ///   - action: The action to run.
  /// - Returns: A cancellable that prevents the action. Releasing it does not cancel the action.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    DispatchQueue.main.scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }
}

/// The number of actions of a strict scheduler that are waiting or running.
private final class Backlog: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` is not marked: the lock protects the count.
  private let count = Locked(0)

  /// Adds one and returns whether it is the only one.
  func enter() -> Bool {
    count.withLock { count in
      count += 1
      return count == 1
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
