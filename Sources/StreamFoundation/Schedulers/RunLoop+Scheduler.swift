public import Foundation
internal import StreamSchedulers
public import Streams

/// A run loop is a scheduler that runs actions on its thread, in all of its common modes.
///
/// - Order: actions without a date run in the order in which they were scheduled.
/// - Scheduling and cancelling are thread-safe. Actions run only while a thread runs the loop.
/// - Actions with a date use Foundation's timers, which get the tolerance. A date in the past means as soon as
///   possible. Repeated runs stay at whole intervals after the first date, however long each run takes.
/// - Cost: an action without a date needs a block in the loop, and if another thread schedules the action, a timer that
///   wakes the loop. An action with a date needs a timer.
extension RunLoop: Scheduler {
  /// The current date.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Zero, the smallest tolerance that the timers use.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs an action in the loop's next iteration.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownExecutionEnvironment.install
    let work = UnsafeTransfer(action)
    perform(inModes: [.common]) { work.value() }
    guard !belongsToThisThread else { return }
    // A sleeping loop doesn't wake for a new block, but it does for a timer.
    add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in }, forMode: .common)
  }

  private var belongsToThisThread: Bool {
    // The main loop comes first, because `RunLoop.current` would create a loop for this thread.
    self === RunLoop.main ? Thread.isMainThread : self === RunLoop.current
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
  /// A run is skipped if the loop doesn't get to it before the next one is due. An interval of zero or less is reported, and the
  /// action runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "RunLoop") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return Repetition(
      RunLoopTimer(on: self, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action)
    )
  }

  /// Runs an action once, at or after the given date, unless you cancel it first.
  ///
  /// Cancelling removes the timer from the loop.
  @_disfavoredOverload
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    RunLoopTimer(on: self, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }
}

/// A scheduler that runs actions in a single mode of a run loop.
struct RunLoopInMode: Scheduler {
  let loop: RunLoop
  let mode: RunLoop.Mode

  var now: RunLoop.SchedulerTimeType { loop.now }

  var minimumTolerance: RunLoop.SchedulerTimeType.Stride { loop.minimumTolerance }

  func schedule(options: RunLoop.SchedulerOptions?, _ action: @escaping () -> Void) {
    schedule(after: now, tolerance: minimumTolerance, options: options, action)
  }

  func schedule(
    after date: RunLoop.SchedulerTimeType, tolerance: RunLoop.SchedulerTimeType.Stride,
    options: RunLoop.SchedulerOptions?, _ action: @escaping () -> Void
  ) {
    _ = RunLoopTimer(on: loop, in: mode, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }

  func schedule(
    after date: RunLoop.SchedulerTimeType, interval: RunLoop.SchedulerTimeType.Stride,
    tolerance: RunLoop.SchedulerTimeType.Stride, options: RunLoop.SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    Repetition(
      RunLoopTimer(
        on: loop, in: mode, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action))
  }
}

/// An action that a run loop's timer runs, once or repeatedly.
private final class RunLoopTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` isn't marked: the lock protects the references to the action and to the
  // timer. Only the loop calls the action. Timers are added and invalidated from any thread, which the run loops that
  // underlie Foundation's allow.
  private let state: Locked<State>
  private let repeats: Bool

  private struct State {
    var action: (() -> Void)?
    var timer: Timer?
  }

  init(
    on loop: RunLoop, in mode: RunLoop.Mode = .common, at date: Date, every interval: TimeInterval?,
    tolerance: TimeInterval,
    _ action: @escaping () -> Void
  ) {
    KnownExecutionEnvironment.install
    state = Locked(State(action: action))
    repeats = interval != nil
    // Foundation stops the program without a message if an interval is shorter than its unit of time, a nanosecond. Dates
    // are no more exact than a microsecond.
    let interval = interval.map { max(0.000_001, $0) }
    let timer = Timer(fire: date, interval: interval ?? 0, repeats: repeats) { _ in self.fire() }
    timer.tolerance = max(0, tolerance)
    state.withLock { $0.timer = timer }
    loop.add(timer, forMode: mode)
  }

  private func fire() {
    guard !repeats else {
      state.withLock { $0.action }?()
      return
    }
    takeAll().action?()
  }

  func cancel() {
    takeAll().timer?.invalidate()
  }

  private func takeAll() -> State {
    state.withLock { state in
      defer { state = State() }
      return state
    }
  }
}
