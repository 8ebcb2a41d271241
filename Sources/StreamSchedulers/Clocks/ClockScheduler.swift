internal import Dispatch
public import Streams

extension Clock where Duration == Swift.Duration {
  /// This clock as a scheduler, for code and operators that take one.
  ///
  /// ```swift
  /// letters.debounce(for: .milliseconds(300), scheduler: clock.scheduler)
  /// ```
  ///
  /// Each time it is asked for it is a new scheduler, whose work runs one after the other.
  public var scheduler: ClockScheduler<Self> { ClockScheduler(self) }
}

/// A clock that is used as a scheduler; `clock.scheduler` makes it.
///
/// On a ``TestClock``, also an erased one, work is armed on the clock's timeline: it runs when time is moved on, in one
/// order with everything else there, and tasks that are started with `Task(on:)` run there too.
///
/// On any other clock a task sleeps until the work is due. The work runs on a queue of the scheduler, one piece after the
/// other. What is cancelled is let go of at once, and its task ends if the clock heeds cancellation.
public struct ClockScheduler<C: Clock>: Scheduler, Sendable where C.Duration == Duration {
  /// A moment of the clock's time.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The moment as the clock has it.
    public var instant: C.Instant

    /// Makes one from the clock's own.
    public init(_ instant: C.Instant) { self.instant = instant }

    /// Returns how far it is to another moment.
    public func distance(to other: Self) -> ClockStride { ClockStride(instant.duration(to: other.instant)) }

    /// Returns the moment that is a stride away.
    public func advanced(by stride: ClockStride) -> Self { Self(instant.advanced(by: stride.duration)) }

    /// Whether one moment is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.instant < rhs.instant }

    /// Whether both are the same moment.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.instant == rhs.instant }
  }

  /// There is nothing to say about how work is to run.
  public typealias SchedulerOptions = Never

  /// The clock.
  public let clock: C

  private let anchor: C.Instant?
  private let face: ClockFace<Duration>?
  private let queue: DispatchQueue?

  /// Makes a scheduler of a clock.
  public init(_ clock: C) {
    self.clock = clock
    let known = clock as? any KnownClock<Duration>
    anchor = known?.anchor as? C.Instant
    face = known?.face
    queue = face == nil ? DispatchQueue(label: "StreamSchedulers.ClockScheduler") : nil
  }

  /// The present moment of the clock.
  public var now: SchedulerTimeType { SchedulerTimeType(clock.now) }

  /// The smallest duration that makes a difference to the clock.
  public var minimumTolerance: ClockStride { ClockStride(clock.minimumResolution) }

  /// What runs tasks on the clock's timeline, if it has one.
  public var taskExecutor: (any TaskExecutor)? { face?.timeline.taskExecutor }

  /// Runs work as soon as possible.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    if let face {
      _ = face.timeline.insert(after: nil, action)
    } else {
      let work = HandedOver(action)
      queue?.async { work.value() }
    }
  }

  /// Runs work at a date or later.
  public func schedule(
    after date: SchedulerTimeType, tolerance: ClockStride, options: Never?, _ action: @escaping () -> Void
  ) {
    _ = scheduleOnce(after: date, tolerance: tolerance, options: options, action)
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  ///
  /// Cancelling lets go of the work at once. What is returned need not be kept.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: ClockStride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    guard let queue else { return insert(after: date, interval: nil, action) }
    let work = ClockWork(action)
    work.start { [clock] work in
      do { try await clock.sleep(until: date.instant, tolerance: tolerance.duration) } catch { return work.cancel() }
      queue.async { work.runOnce() }
    }
    return work
  }

  /// Runs work at a date, and again after each interval, until what is returned is cancelled or let go of.
  ///
  /// Runs are planned ahead, so that they do not drift. On a live clock, those that go by while one is running are left
  /// out. An interval of zero or less is a mistake, which is reported; the work then runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: ClockStride, tolerance: ClockStride, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "ClockScheduler") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    guard let queue else { return AnyCancellable(insert(after: date, interval: interval.magnitude, action)) }
    let work = ClockWork(action)
    let clock = AnyClock(forTimerOf: clock)
    let first = clock.now.advanced(by: self.clock.now.duration(to: date.instant))
    work.start { work in
      var ticks = PlannedTicks(interval: interval.duration, next: first)
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
    return AnyCancellable(work)
  }

  /// Arms work on the timeline of the clock, which has one.
  private func insert(
    after date: SchedulerTimeType, interval: Int?, _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    guard let face, let anchor else { stopProgram("A clock without a timeline has a queue.") }
    return face.timeline.insertCancellable(
      after: face.date(anchor.duration(to: date.instant)), interval: interval, action)
  }
}

/// Work that a task runs when a clock says so.
private final class ClockWork: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the work and the task. The work is run by
  // the scheduler's queue alone.
  private struct State {
    var action: Action?
    var task: Task<Void, Never>?
  }

  /// A struct, because a bare closure that comes out of generic code is wrapped each time.
  private struct Action {
    let run: () -> Void
  }

  private let state: Locked<State>

  init(_ action: @escaping () -> Void) { state = Locked(State(action: Action(run: action))) }

  /// Starts the task. It belongs to nobody's actor, but to the caller's test: there, what it reports is a failure.
  func start(_ operation: @escaping @Sendable (ClockWork) async -> Void) {
    let task = Task { await operation(self) }
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
