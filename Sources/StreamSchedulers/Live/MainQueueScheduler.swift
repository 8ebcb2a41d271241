public import Dispatch
public import Streams

/// Runs work on the main queue, and at once if that is where it was scheduled.
///
/// `DispatchQueue.main` runs everything in a later turn, so that a value that is already on the main queue arrives
/// one frame late. This scheduler hops only when it has to:
///
/// ```swift
/// publisher.receive(on: MainQueueScheduler.shared).assign(to: &$title)
/// ```
///
/// - Order: ``shared`` runs work inline when it is on the main queue, which may jump ahead of work that other threads
///   have handed to the queue before. Where that matters, make one with ``Order/strict``.
/// - Dates: work with a date always goes through the queue, even when the date has passed.
/// - Cost: inline, that of a look at a value of the queue; else a hop.
/// - Where it is on the main queue, the options have no effect on work that runs inline.
///
/// Whether it is on the main queue, it asks the queue and never the thread: outside Apple's systems, work of the main
/// queue may run on another thread than the first.
///
/// Its time and its options are those of `DispatchQueue`, so it can stand wherever an `AnySchedulerOf<DispatchQueue>`
/// is asked for.
public struct MainQueueScheduler: Scheduler, Sendable {
  /// A point in the time that dispatch queues go by.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

  /// How work is to run when it goes through the queue.
  public typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  /// What runs before what.
  public enum Order: Hashable, Sendable {
    /// Work that is scheduled on the main queue runs at once, ahead of everything that waits.
    case inline

    /// Work runs in the order in which it was scheduled with this scheduler and its copies: at once on the main queue
    /// if none of it waits or runs, and through the queue otherwise.
    case strict
  }

  /// The one that runs work at once whenever it is on the main queue.
  public static let shared = MainQueueScheduler(order: .inline)

  private let backlog: Backlog?

  /// What runs before what.
  public var order: Order { backlog == nil ? .inline : .strict }

  /// Makes one.
  ///
  /// Each one that is made with ``Order/strict`` keeps its own order and knows nothing of the others.
  public init(order: Order) {
    backlog = order == .strict ? Backlog() : nil
  }

  /// The present moment.
  public var now: SchedulerTimeType { DispatchQueue.main.now }

  /// The smallest tolerance that makes a difference: none.
  public var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.main.minimumTolerance }

  /// Runs work at once on the main queue, or as soon as the queue gets to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownSurroundings.install
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

  /// Runs work on the main queue at a date or later.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs work on the main queue at a date, and again after each interval, until what is returned is cancelled or let
  /// go of.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(
      after: date, interval: interval, tolerance: tolerance, options: options, action)
  }

  /// Runs work on the main queue once, at a date or later, unless what is returned is cancelled before.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    DispatchQueue.main.scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }
}

/// How much work a strict scheduler has that waits or runs.
private final class Backlog: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the count.
  private let count = Locked(0)

  /// Counts one more and returns whether it is the only one.
  func enter() -> Bool {
    count.withLock { count in
      count += 1
      return count == 1
    }
  }

  func leave() { count.withLock { $0 -= 1 } }
}
