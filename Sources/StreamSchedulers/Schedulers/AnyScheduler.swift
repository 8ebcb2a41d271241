public import Dispatch
public import Streams

/// A scheduler that hides which scheduler it is.
///
/// A type that works with time takes one, so that an app can give it a queue and a test can give it virtual time:
///
/// ```swift
/// final class Search {
///   init(scheduler: AnySchedulerOf<DispatchQueue> = .main) { … }
/// }
/// let search = Search(scheduler: .immediate)
/// ```
///
/// It does what the scheduler does that it was made from, and adds one call through a closure to each use. It is
/// `Sendable` whether or not the scheduler is marked so: a scheduler has to take work from any thread, see `Scheduler`.
@frozen
public struct AnyScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler, Sendable
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  @usableFromInline
  let members: AnySchedulerMembers<SchedulerTimeType, SchedulerOptions>

  init(members: AnySchedulerMembers<SchedulerTimeType, SchedulerOptions>) { self.members = members }

  /// Makes one from closures, one for each member of `Scheduler`.
  ///
  /// `minimumTolerance` and `now` are called whenever they are asked for. Without `once`, work that runs once and can
  /// be cancelled is given to `delayed`; when it is cancelled, the work is let go of and an entry that does nothing stays
  /// until its date.
  public init(
    minimumTolerance: @escaping @Sendable () -> SchedulerTimeType.Stride,
    now: @escaping @Sendable () -> SchedulerTimeType,
    scheduleImmediately: @escaping @Sendable (SchedulerOptions?, @escaping () -> Void) -> Void,
    delayed:
      @escaping @Sendable (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> Void,
    interval:
      @escaping @Sendable (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> any Cancellable,
    once: (
      @Sendable (
        SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping () -> Void
      ) -> any Cancellable & AnyObject
    )? = nil
  ) {
    members = AnySchedulerMembers(
      minimumTolerance: minimumTolerance, now: now, immediately: scheduleImmediately, delayed: delayed,
      interval: interval, once: once, taskExecutor: { nil })
  }

  /// Makes one that does what another scheduler does.
  ///
  /// The scheduler is held strongly. If it is an `AnyScheduler` itself, nothing is added to it.
  @inlinable
  public init<S: Scheduler>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    if let erased = scheduler as? Self {
      self = erased
      return
    }
    members = AnySchedulerMembers(
      minimumTolerance: { scheduler.minimumTolerance },
      now: { scheduler.now },
      immediately: { scheduler.schedule(options: $0, $1) },
      delayed: { scheduler.schedule(after: $0, tolerance: $1, options: $2, $3) },
      interval: { scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4) },
      once: { scheduler.scheduleOnce(after: $0, tolerance: $1, options: $2, $3) },
      taskExecutor: { scheduler.taskExecutor })
  }

  /// What runs tasks that are started on the scheduler.
  @inlinable
  public var taskExecutor: (any TaskExecutor)? { members.taskExecutor() }

  /// The present moment of the scheduler.
  @inlinable
  public var now: SchedulerTimeType { members.now() }

  /// The smallest tolerance that the scheduler makes use of.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { members.minimumTolerance() }

  /// Runs work as soon as possible.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    members.immediately(options, action)
  }

  /// Runs work at a date or later.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    members.delayed(date, tolerance, options, action)
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    members.interval(date, interval, tolerance, options, action)
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  @inlinable
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    if let once = members.once { return once(date, tolerance, options, action) }
    let once = ScheduledAction(action)
    members.delayed(date, tolerance, options) { once.run() }
    return once
  }

  /// Returns this scheduler, which is erased already.
  @inlinable
  public func eraseToAnyScheduler() -> Self { self }
}

/// The type that a scheduler has when it is erased.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler {
  /// Hides which scheduler this is.
  @inlinable
  public func eraseToAnyScheduler() -> AnySchedulerOf<Self> { AnyScheduler(self) }
}

extension AnySchedulerOf<DispatchQueue> {
  /// The main dispatch queue.
  public static var main: Self { mainQueue }

  /// A global dispatch queue.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    DispatchQueue.global(qos: qos).eraseToAnyScheduler()
  }
}

/// Made once, because it is asked for again and again.
private let mainQueue = DispatchQueue.main.eraseToAnyScheduler()

/// What an erased scheduler calls; one object, so that copying the scheduler costs one reference.
@usableFromInline @_fixed_layout
final class AnySchedulerMembers<Time: Strideable, Options>: @unchecked Sendable {
  // `Sendable` is unchecked because the closures are not marked: they are those of a user, who has to give ones that are
  // `@Sendable`, or the members of a scheduler, which the protocol requires to be callable from any thread.
  @usableFromInline let minimumTolerance: () -> Time.Stride
  @usableFromInline let now: () -> Time
  @usableFromInline let immediately: (Options?, @escaping () -> Void) -> Void
  @usableFromInline let delayed: (Time, Time.Stride, Options?, @escaping () -> Void) -> Void
  @usableFromInline let interval: (Time, Time.Stride, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable
  @usableFromInline let once: ((Time, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable & AnyObject)?

  @usableFromInline let taskExecutor: () -> (any TaskExecutor)?

  @inlinable
  init(
    minimumTolerance: @escaping () -> Time.Stride,
    now: @escaping () -> Time,
    immediately: @escaping (Options?, @escaping () -> Void) -> Void,
    delayed: @escaping (Time, Time.Stride, Options?, @escaping () -> Void) -> Void,
    interval: @escaping (Time, Time.Stride, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable,
    once: ((Time, Time.Stride, Options?, @escaping () -> Void) -> any Cancellable & AnyObject)?,
    taskExecutor: @escaping () -> (any TaskExecutor)?
  ) {
    self.minimumTolerance = minimumTolerance
    self.now = now
    self.immediately = immediately
    self.delayed = delayed
    self.interval = interval
    self.once = once
    self.taskExecutor = taskExecutor
  }
}
