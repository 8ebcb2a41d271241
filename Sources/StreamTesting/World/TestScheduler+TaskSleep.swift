internal import Foundation
public import StreamSchedulers
internal import Streams
internal import Synchronization

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) internal import _Concurrency
#endif

extension TestScheduler {
  /// Indicates whether `Task.sleep` also uses this scheduler's time, in tasks that run on its timeline. The default is
  /// `false`.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// scheduler.capturesTaskSleep = true
  /// Task(on: scheduler) { try await Task.sleep(for: .seconds(1)) }
  /// ```
  ///
  /// The runtime provides the deadline of a sleep on the real clock, not its duration. The intended duration is assumed
  /// to be the remaining time, rounded up to the next whole millisecond. If the two are more than 20 microseconds
  /// apart, or the system has interrupted the thread since it began to run the task, ``inexactSleepCount`` counts the
  /// sleep, and the test shouldn't rely on its time. Prefer passing your code a clock, which is always exact.
  ///
  /// Set this property before the first task starts. It works only on Linux with Swift 6.3. Elsewhere, setting it to
  /// `true` is reported as an issue, and `Task.sleep` keeps using real time.
  public var capturesTaskSleep: Bool {
    get { timeline.sleepCapture?.isOn.load(ordering: .relaxed) == true }
    set {
      guard !newValue || Timeline.canCaptureTaskSleep else {
        return reportIssue(
          "Task.sleep cannot be captured with this version of Swift on this system. Pass a clock instead.",
          fileID: fileID, filePath: filePath, line: line, column: column)
      }
      timeline.captureTaskSleep(newValue)
    }
  }

  /// The number of captured sleeps whose duration in virtual time may be wrong.
  public var inexactSleepCount: Int { timeline.sleepCapture?.inexactSleeps.load(ordering: .relaxed) ?? 0 }
}

private final class SleepCapture: Sendable {
  let isOn = Atomic<Bool>(false)
  /// The number of captured sleeps whose duration may not be the intended one.
  let inexactSleeps = Atomic<Int>(0)
}

extension DrivingThread {
  func noteContextSwitches() { noteOfJob = Self.contextSwitches }

  /// Indicates whether the system has taken the processor from this thread since its job began.
  var hasBeenInterrupted: Bool { noteOfJob != Self.contextSwitches }

  private static var contextSwitches: Int {
    #if os(Linux)
      var usage = rusage()
      // The constant `RUSAGE_THREAD`, which stands for the calling thread alone, isn't imported.
      guard getrusage(__rusage_who_t(1), &usage) == 0 else { return 0 }
      return usage.ru_nvcsw + usage.ru_nivcsw
    #else
      return 0
    #endif
  }
}

extension Timeline {
  fileprivate var sleepCapture: SleepCapture? { attachments.existing(SleepCapture.self) }

  fileprivate func captureTaskSleep(_ captures: Bool) {
    attachments.object(SleepCapture.self) { SleepCapture() }.isOn.store(captures, ordering: .relaxed)
    onJob(captures ? { $0.noteContextSwitches() } : nil)
  }
}

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  private let isRealSleepReported = OnceFlag()

  extension Timeline {
    static let canCaptureTaskSleep = true

    /// Schedules the job that ends a sleep for the time that was probably intended. Returns `false` if the sleep isn't
    /// captured.
    func captureSleep<C: Clock>(_ job: UnownedJob, until instant: C.Instant, of clock: C) -> Bool {
      guard let capture = sleepCapture, capture.isOn.load(ordering: .relaxed) else {
        warnOnce(
          isRealSleepReported,
          "A task in virtual time called Task.sleep, or slept on a clock other than the test's, which takes real time. Only "
            + "the first such sleep is reported. Pass your code a clock, such as scheduler.clock, or set "
            + "scheduler.capturesTaskSleep.")
        return false
      }
      guard let remaining = clock.now.duration(to: instant) as? Duration else { return false }
      let nanoseconds = remaining.clampedNanoseconds
      let millisecond = 1_000_000
      let meant = max(0, nanoseconds.addingSaturating(millisecond - 1) / millisecond * millisecond)
      let isExact = meant - nanoseconds <= 20_000 && !DrivingThread.current.hasBeenInterrupted
      if !isExact { capture.inexactSleeps.wrappingAdd(1, ordering: .relaxed) }
      // The job belongs to the runtime, not to the task: it runs without an executor of its own.
      let generic = unsafeBitCast((0, 0) as (Int, Int), to: UnownedSerialExecutor.self)
      insertSleep(for: meant) { job.runSynchronously(on: generic) }
      return true
    }
  }

  extension VirtualTaskExecutor: SchedulingExecutor {
    package func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      if owner?.captureSleep(job, until: instant, of: clock) == true { return }
      (Task.defaultExecutor as? any SchedulingExecutor)?
        .enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }
  }

  extension VirtualMainExecutor: SchedulingExecutor {
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      if DrivingThread.currentWorld?.timeline.captureSleep(job, until: instant, of: clock) == true { return }
      (Task.defaultExecutor as? any SchedulingExecutor)?
        .enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }
  }
#else
  extension Timeline {
    static let canCaptureTaskSleep = false
  }
#endif
