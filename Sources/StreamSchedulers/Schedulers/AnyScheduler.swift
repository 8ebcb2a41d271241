public import Dispatch
public import Streams

/// A type-erased scheduler.
///
/// Use one in a type that works with time, so that you can pass a queue in your app and a test scheduler in your tests:
///
/// ```swift
/// final class Search {
///   init(scheduler: AnySchedulerOf<DispatchQueue> = .main) { … }
/// }
/// let search = Search(scheduler: .immediate)
/// ```
///
/// It forwards every call to the wrapped scheduler through one closure. It's `Sendable` whether or not the wrapped scheduler
/// is, because every scheduler has to accept work from any thread.
@frozen
public struct AnyScheduler<SchedulerTimeType: Strideable, SchedulerOptions>: Scheduler, Sendable
where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  @usableFromInline
  let members: AnySchedulerMembers<SchedulerTimeType, SchedulerOptions>

  init(members: AnySchedulerMembers<SchedulerTimeType, SchedulerOptions>) { self.members = members }

  /// Creates a scheduler from closures, one for each member of `Scheduler`.
  ///
  /// The closures `minimumTolerance` and `now` are called on each access. If you don't pass `once`, `scheduleOnce` calls
  /// `delayed`. Cancelling then releases the action immediately, but an empty action stays scheduled until the date.
  ///
  /// - Parameters:
  ///   - minimumTolerance: A closure that returns the smallest tolerance that the scheduler uses.
  ///   - now: A closure that returns the current time.
  ///   - scheduleImmediately: A closure that runs an action as soon as possible.
  ///   - delayed: A closure that runs an action at a date, with a tolerance.
  ///   - interval: A closure that runs an action at a date and again after each interval. It returns a cancellable that stops the
  ///     repeating action.
  ///   - once: A closure that runs an action at a date, with a tolerance. It returns a cancellable that prevents the run.
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

  /// Creates a scheduler that forwards to another scheduler.
  ///
  /// The wrapped scheduler is retained. Wrapping an `AnyScheduler` returns a copy of it.
  ///
  /// - Parameter scheduler: The scheduler to wrap.
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

  /// The executor for tasks that start on the wrapped scheduler, or `nil` for the global concurrent executor.
  @inlinable
  public var taskExecutor: (any TaskExecutor)? { members.taskExecutor() }

  /// The wrapped scheduler's current time.
  @inlinable
  public var now: SchedulerTimeType { members.now() }

  /// The smallest tolerance that the wrapped scheduler uses.
  @inlinable
  public var minimumTolerance: SchedulerTimeType.Stride { members.minimumTolerance() }

  /// Runs an action as soon as possible.
  @inlinable
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    members.immediately(options, action)
  }

  /// Runs an action at or after a date.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    members.delayed(date, tolerance, options, action)
  }

  /// Runs an action at a date, then repeats it after each interval until you cancel the returned object.
  @inlinable
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    members.interval(date, interval, tolerance, options, action)
  }

  /// Runs an action once, at or after a date, unless you cancel it first.
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

  /// Returns this scheduler, which is already type-erased.
  ///
  /// - Returns: This scheduler.
  @inlinable
  public func eraseToAnyScheduler() -> Self { self }
}

/// The type-erased form of a scheduler type.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler {
  /// Returns this scheduler as an ``AnyScheduler``, which hides the scheduler's type.
  ///
  /// ```swift
  /// let search = Search(scheduler: DispatchQueue.main.eraseToAnyScheduler())
  /// ```
  ///
  /// - Returns: A scheduler that forwards to this one.
  @inlinable @_disfavoredOverload
  public func eraseToAnyScheduler() -> AnySchedulerOf<Self> { AnyScheduler(self) }
}

extension AnySchedulerOf<DispatchQueue> {
  /// A scheduler that forwards to the main dispatch queue.
  public static var main: Self { mainQueue }

  /// Returns a scheduler that forwards to a global dispatch queue.
  ///
  /// ```swift
  /// let search = Search(scheduler: .global(qos: .utility))
  /// ```
  ///
  /// - Parameter qos: The queue's quality of service.
  /// - Returns: A scheduler that forwards to the queue.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    DispatchQueue.global(qos: qos).eraseToAnyScheduler()
  }
}

extension AnyScheduler {
  @available(
    *, unavailable,
    message: "keep the test scheduler: let scheduler = DispatchQueue.test, and pass scheduler.eraseToAnyScheduler()"
  )
  public static var test: Self { explain() }
}

/// The type-erased main queue, created once because it's used often.
private let mainQueue = DispatchQueue.main.eraseToAnyScheduler()

/// The closures of a type-erased scheduler, in one object so that copying the scheduler costs one retain.
@usableFromInline @_fixed_layout
final class AnySchedulerMembers<Time: Strideable, Options>: @unchecked Sendable {
  // `Sendable` is unchecked because the closures aren't declared as sendable. They're either a caller's, which the initializer
  // requires to be `@Sendable`, or members of a scheduler, which the protocol requires to be callable from any thread.
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
