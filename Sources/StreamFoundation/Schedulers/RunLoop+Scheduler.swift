public import Foundation
internal import StreamSchedulers
public import Streams

/// A run loop runs work in its turns, on the thread it belongs to, in all of its common modes.
///
/// - Order: what is scheduled without a date runs in the order in which it was scheduled.
/// - Work may be scheduled and cancelled from any thread. Somebody has to run the loop, of course.
/// - Dates are kept by timers of Foundation: they get the tolerance, a date in the past is as soon as possible, and
///   repeated work keeps to the multiples of its interval, however long it takes.
/// - Cost: a block of the loop for work without a date, and a timer to wake the loop if another thread schedules it; a
///   timer for work with a date.
extension RunLoop: Scheduler {
  /// The present moment.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// The smallest tolerance that makes a difference: none.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs work in the next turn of the loop.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    KnownSurroundings.install
    let work = HandedOver(action)
    perform(inModes: [.common]) { work.value() }
    guard !belongsToThisThread else { return }
    // A loop that sleeps does not notice that there is work; it notices a timer.
    add(Timer(fire: .distantPast, interval: 0, repeats: false) { _ in }, forMode: .common)
  }

  private var belongsToThisThread: Bool {
    // The main loop is asked for first because asking for the current one would make one for this thread.
    self === RunLoop.main ? Thread.isMainThread : self === RunLoop.current
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
  /// A run for which the loop has no time before the next one is due is left out. An interval of zero or less is a
  /// mistake, which is reported; the work then runs once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard isRepeatable(interval, on: "RunLoop") else {
      return scheduleOnce(after: date, tolerance: tolerance, options: options, action)
    }
    return AnyCancellable(
      RunLoopTimer(on: self, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action))
  }

  /// Runs work once, at a date or later, unless what is returned is cancelled before.
  ///
  /// Cancelling takes the timer out of the loop. What is returned need not be kept.
  public func scheduleOnce(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable & AnyObject {
    RunLoopTimer(on: self, at: date.date, every: nil, tolerance: tolerance.timeInterval, action)
  }
}

/// A run loop that runs work in one of its modes only.
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
    AnyCancellable(
      RunLoopTimer(
        on: loop, in: mode, at: date.date, every: interval.timeInterval, tolerance: tolerance.timeInterval, action))
  }
}

/// Work that a timer of a run loop runs, once or again and again.
private final class RunLoopTimer: Cancellable, @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the references to the work and to
  // the timer. The work is called by the loop alone. A timer is added to a loop and invalidated from any thread, which
  // the run loops below Foundation's allow.
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
    KnownSurroundings.install
    state = Locked(State(action: action))
    repeats = interval != nil
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
