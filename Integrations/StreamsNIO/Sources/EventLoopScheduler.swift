public import Dispatch
public import NIOCore
public import StreamSchedulers
public import Streams

/// A scheduler that runs work on an event loop.
///
/// ```swift
/// let readings = sensor.debounce(for: .seconds(2), scheduler: channel.eventLoop.scheduler)
/// ```
///
/// It has the time and the options of dispatch queues. Code that takes an `AnySchedulerOf<DispatchQueue>` therefore runs on an event
/// loop in your server, and on `DispatchQueue.test` in your tests:
///
/// ```swift
/// let monitor = Monitor(scheduler: eventLoop.scheduler.eraseToAnyScheduler())
/// ```
///
/// Work that you schedule runs in order, never on the caller's stack, and never overlaps other work of the event loop. Don't block
/// in it. Cancelled work leaves nothing behind. Of the options, `group` has its effect. An event loop has no quality of service and
/// no flags. After the event loop has been shut down, NIO reports the work as an error and doesn't run it.
public struct EventLoopScheduler: Scheduler, Sendable {
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  public typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  /// The event loop.
  public let eventLoop: any EventLoop

  /// Creates a scheduler.
  ///
  /// - Parameter eventLoop: The event loop.
  public init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// The event loop's time. For an `EmbeddedEventLoop` and a `NIOAsyncTestingEventLoop`, you advance it.
  public var now: SchedulerTimeType {
    // The time of some event loops begins at zero, which as a dispatch time would mean now. So both differ by a nanosecond.
    SchedulerTimeType(DispatchTime(uptimeNanoseconds: eventLoop.now.uptimeNanoseconds + 1))
  }

  /// Zero, because event loops have no tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = ScheduledWork(on: eventLoop, options, action)
    eventLoop.execute { work.run() }
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    let work = ScheduledWork(on: eventLoop, options, action)
    work.arm(at: NIODeadline(date))
    return work
  }

  /// Runs work at a date and after each interval, like a timer of a dispatch queue: if the event loop is busy for longer than an
  /// interval, the runs that it has missed are skipped, and the others keep their dates.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let work = ScheduledWork(on: eventLoop, options, every: .nanoseconds(Int64(max(1, interval.magnitude))), action)
    work.arm(at: NIODeadline(date))
    return AnyCancellable(work)
  }
}

extension EventLoop {
  /// A scheduler that runs work on this event loop.
  public var scheduler: EventLoopScheduler { EventLoopScheduler(self) }
}

extension NIODeadline {
  init(_ date: DispatchQueue.SchedulerTimeType) {
    self = .uptimeNanoseconds(min(date.dispatchTime.uptimeNanoseconds, UInt64(Int64.max)) - 1)
  }
}
