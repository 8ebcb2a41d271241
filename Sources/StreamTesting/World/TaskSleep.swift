internal import Foundation
public import StreamSchedulers
internal import Streams
internal import Synchronization

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) internal import _Concurrency
#endif

extension TestScheduler {
  /// Whether `Task.sleep` goes by this scheduler's time as well, in tasks of the timeline; it does not, unless set.
  ///
  /// The runtime does not say for how long a task is to sleep, but until when on the real clock. What was meant is taken to
  /// be the next whole millisecond. Where that is more than twenty microseconds away, or the thread was interrupted
  /// meanwhile, ``inexactSleepCount`` counts it: then the test should not rely on the time. A clock that is handed in is
  /// always exact; prefer that.
  ///
  /// Set it before the first task is started. It works on Linux with Swift 6.3; elsewhere setting it is reported, and
  /// `Task.sleep` goes on by real time.
  public var capturesTaskSleep: Bool {
    get { timeline.sleepCapture?.isOn.load(ordering: .relaxed) == true }
    set {
      guard !newValue || Timeline.canCaptureTaskSleep else {
        return reportIssue(
          "Task.sleep cannot be captured by this version of Swift on this system: hand a clock in instead.",
          fileID: fileID, filePath: filePath, line: line, column: column)
      }
      timeline.captureTaskSleep(newValue)
    }
  }

  /// How many captured sleeps may have ended at a time that was not meant.
  public var inexactSleepCount: Int { timeline.sleepCapture?.inexactSleeps.load(ordering: .relaxed) ?? 0 }
}

/// What is captured on a timeline.
private final class SleepCapture: Sendable {
  let isOn = Atomic<Bool>(false)
  /// How many captured sleeps may have a duration that was not meant.
  let inexactSleeps = Atomic<Int>(0)
}

extension DrivingThread {
  func noteContextSwitches() { noteOfJob = Self.contextSwitches }

  /// Whether the system has taken the processor from this thread since its job began.
  var hasBeenInterrupted: Bool { noteOfJob != Self.contextSwitches }

  private static var contextSwitches: Int {
    #if os(Linux)
      var usage = rusage()
      // The calling thread alone; the constant is not imported.
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
  extension Timeline {
    static let canCaptureTaskSleep = true

    /// Keeps the job that ends a sleep, until the time that was probably meant; returns whether it does.
    func captureSleep<C: Clock>(_ job: UnownedJob, until instant: C.Instant, of clock: C) -> Bool {
      guard let capture = sleepCapture, capture.isOn.load(ordering: .relaxed),
        let remaining = clock.now.duration(to: instant) as? Duration
      else { return false }
      let (seconds, attoseconds) = remaining.components
      let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      let millisecond = 1_000_000
      let meant = max(0, (nanoseconds + millisecond - 1) / millisecond * millisecond)
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
