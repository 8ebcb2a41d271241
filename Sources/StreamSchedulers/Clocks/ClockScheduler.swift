internal import Dispatch
public import Streams

extension Clock where Duration == Swift.Duration {
  /// A scheduler that runs work in this clock's time, for code and operators that take a scheduler.
  ///
  /// ```swift
  /// letters.debounce(for: .milliseconds(300), scheduler: clock.scheduler)
  /// ```
  ///
  /// Each access returns a new scheduler, which runs its own work serially.
  @_disfavoredOverload
  public var scheduler: ClockScheduler<Self> { ClockScheduler(self) }
}

/// A scheduler that runs work in a clock's time, returned by `clock.scheduler`.
///
/// On a ``TestClock``, including a type-erased one, work is scheduled on the clock's timeline. It runs when you advance time, in
/// one order with everything else on that timeline. Tasks that you start with `Task(on:)` run there too.
///
/// On any other clock, a task sleeps until the work is due. The work then runs on the scheduler's own serial queue. Cancelling
/// releases the work immediately and cancels its task, which ends if the clock supports cancellation.
public struct ClockScheduler<C: Clock>: Scheduler, Sendable where C.Duration == Duration {
  /// An instant of the clock, used as the scheduler's time.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The clock's instant.
    public var instant: C.Instant

    /// Creates a time from the clock's instant.
    ///
    /// - Parameter instant: The clock's instant.
    public init(_ instant: C.Instant) { self.instant = instant }

    public func distance(to other: Self) -> ClockStride { ClockStride(instant.duration(to: other.instant)) }

    public func advanced(by stride: ClockStride) -> Self { Self(instant.advanced(by: stride.duration)) }

    // Declared as operators, unlike in other time types: the operators of `Strideable` compare distances, which are whole
    // nanoseconds here, but a clock's instants may be finer.

    /// Returns whether the first time is before the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.instant < rhs.instant }

    /// Returns whether both are the same time.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.instant == rhs.instant }
  }

  /// The scheduler doesn't have options.
  public typealias SchedulerOptions = Never

  package let clock: C

  private let anchor: C.Instant?
  private let clockTimeline: ClockTimeline<Duration>?
  private let queue: DispatchQueue?

  package init(_ clock: C) {
    self.clock = clock
    let known = clock as? any KnownClock<Duration>
    anchor = known?.anchor as? C.Instant
    clockTimeline = known?.clockTimeline
    queue = clockTimeline == nil ? DispatchQueue(label: "StreamSchedulers.ClockScheduler") : nil
  }

  /// The current instant of the clock.
  public var now: SchedulerTimeType { SchedulerTimeType(clock.now) }

  /// The minimum resolution of the clock.
  public var minimumTolerance: ClockStride { ClockStride(clock.minimumResolution) }

  /// The executor for tasks on the clock's timeline, or `nil` if the clock doesn't have a timeline.
  public var taskExecutor: (any TaskExecutor)? { clockTimeline?.timeline.taskExecutor }

  /// Runs an action as soon as possible.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    if let clockTimeline {
      _ = clockTimeline.timeline.insert(after: nil, action)
    } else {
      let work = UnsafeTransfer(action)
      queue?.async { work.value() }
    }
  }

  /// Runs an action at or after a date.
  public func schedule(
    after date: SchedulerTimeType, tolerance: ClockStride, options: Never?, _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs an action once, at or after a date, unless you cancel it first.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: ClockStride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    guard let queue else { return insert(after: date, interval: nil, action) }
    let work = ClockWork(action)
    let instant = clock.reachable(date.instant)
    work.start { [clock] work in
      do { try await clock.sleep(until: instant, tolerance: tolerance.duration) } catch { return work.cancel() }
      queue.async { work.runOnce() }
    }
    return work
  }

  /// Runs an action at a date, then repeats it after each interval until you cancel the returned object.
  ///
  /// Runs are planned ahead and don't drift. On a live clock, runs that become due while one is running are skipped. An interval
  /// of zero or less is reported, and the action runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: ClockStride, tolerance: ClockStride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "ClockScheduler") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    guard let queue else { return Repetition(insert(after: date, interval: interval.magnitude, action)) }
    let work = ClockWork(action)
    let clock = AnyClock(forTimerOf: clock)
    let first = clock.now.advanced(by: self.clock.now.duration(to: self.clock.reachable(date.instant)))
    work.start { work in
      var ticks = PlannedTicks(interval: interval.duration, next: first, isFirstFree: true)
      while !Task.isCancelled {
        do {
          try await clock.sleep(until: ticks.take(at: clock.now), tolerance: tolerance.duration)
        } catch {
          return work.cancel()
        }
        await withCheckedContinuation { continuation in
          queue.async {
            work.run()
            continuation.resume()
          }
        }
      }
    }
    return Repetition(work)
  }

  /// Schedules an action on the timeline of a clock that has one.
  private func insert(
    after date: SchedulerTimeType, interval: Int?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    guard let clockTimeline, let anchor else {
      stopProgram("A clock scheduler has neither a timeline nor a queue. This is a bug in Streams; please report it.")
    }
    return clockTimeline.timeline.insertCancellable(
      after: clockTimeline.date(anchor.duration(to: date.instant)), interval: interval, action)
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns the instant, clamped to 292 years from now. The standard library's clocks stop the program if they sleep until a
  /// later one. This package's clocks accept every instant.
  fileprivate func reachable(_ instant: Instant) -> Instant {
    if self is any CallersClock<Duration> { return instant }
    let (now, limit) = (now, Duration.nanoseconds(Int.max))
    return min(max(instant, now.advanced(by: .zero - limit)), now.advanced(by: limit))
  }
}

/// Work that a task runs when its clock reaches the deadline.
private final class ClockWork: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the action and the task. The action runs
  // only on the scheduler's queue.
  private struct State {
    var action: Action?
    var task: Task<Void, Never>?
  }

  /// A struct, because Swift wraps a bare closure in a new closure each time it leaves generic code.
  private struct Action {
    let run: () -> Void
  }

  private let state: Locked<State>

  init(_ action: @escaping () -> Void) { state = Locked(State(action: Action(run: action))) }

  /// Starts the task. It inherits the caller's task locals, so an issue in it fails the caller's test. It doesn't inherit an
  /// actor.
  func start(_ operation: @escaping @Sendable (ClockWork) async -> Void) {
    let task = Task(name: NamedTask.name("ClockScheduler")) { await operation(self) }
    let isOver = state.withLock { state in
      if state.action != nil { state.task = task }
      return state.action == nil
    }
    if isOver { task.cancel() }
  }

  func run() { state.withLock { $0.action }?.run() }
  func runOnce() { take().action?.run() }
  func cancel() { take().task?.cancel() }

  private func take() -> State {
    state.withLock { state in
      defer { state = State() }
      return state
    }
  }
}
