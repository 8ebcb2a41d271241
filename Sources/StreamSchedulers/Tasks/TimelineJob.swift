internal import Dispatch
internal import Streams

/// A piece of a task that waits for its turn on a timeline.
///
/// If the timeline goes before the turn comes, the piece runs on the threads of the process, so that no task is left hanging.
final class TimelineJob: @unchecked Sendable {
  // `Sendable` is unchecked because of `job`, which passes with the timeline's lock from who enqueues it to who drives.
  enum Home {
    /// It belongs to a task that prefers the timeline.
    case tasks(UnownedTaskExecutor)

    /// It belongs to an actor or a task of a serial executor.
    case serial(UnownedSerialExecutor)

    /// It belongs to the main actor of the timeline's world. The host is never let go of, so that this enum holds plain words,
    /// which are copied without being retained.
    case main(Unmanaged<MainJobHost>)
  }

  private var job: UnownedJob?
  private let home: Home

  // Used in `run` alone, which the timeline calls.
  private unowned(unsafe) let timeline: Timeline

  init(_ job: UnownedJob, _ home: Home, _ timeline: Timeline) {
    self.job = job
    self.home = home
    self.timeline = timeline
  }

  func run() {
    guard let job = job.take() else { return }
    DrivingThread.unmanaged._withUnsafeGuaranteedRef { run(job, on: $0) }
  }

  @inline(__always)
  private func run(_ job: UnownedJob, on thread: DrivingThread) {
    let outer = (timeline: thread.jobTimeline, isOffMain: thread.isRunningOffMain)
    thread.jobTimeline = ObjectIdentifier(timeline)
    if timeline.tellsOfJobs { timeline.tellOfJob(on: thread) }
    switch home {
    case .tasks(let executor):
      thread.isRunningOffMain = true
      job.runSynchronously(on: executor)
    case .serial(let executor):
      thread.isRunningOffMain = true
      job.runSynchronously(on: executor)
    case .main(let host) where thread.world?.timeline === timeline:
      thread.isRunningOffMain = false
      host._withUnsafeGuaranteedRef { $0.run(job) }
    // When its world has ended, this thread need not have the main actor.
    case .main(let host): host._withUnsafeGuaranteedRef { $0.adopt(job) }
    }
    thread.jobTimeline = outer.timeline
    thread.isRunningOffMain = outer.isOffMain
  }

  deinit {
    guard let job else { return }
    switch home {
    case .tasks: globalConcurrentExecutor.enqueue(ExecutorJob(job))
    // The executor's jobs run one after the other here as well.
    case .serial(let executor): Self.orphans.async { job.runSynchronously(on: executor) }
    case .main(let host): host._withUnsafeGuaranteedRef { $0.adopt(job) }
    }
  }

  /// Where jobs of serial executors run whose timeline has gone.
  static let orphans = DispatchQueue(label: "StreamSchedulers.orphans")
}

extension Timeline {
  /// Keeps a job until its turn comes, which is now.
  ///
  /// It is foreign where a world's task is resumed by a thread that is in no world.
  func enqueue(_ job: UnownedJob, _ home: TimelineJob.Home, lane: ActionTable.Lane, isForeign: Bool = false) {
    // Before it is inserted: once it is, the test may end at any time.
    noteEnqueue(isForeign: isForeign)
    let kept = TimelineJob(job, home, self)
    // The closure captures one object and nothing else, so that it needs no memory of its own.
    _ = insert(after: nil, lane: lane) { kept.run() }
  }

  /// Counts what is foreign, and what enters from another thread while this timeline is being driven.
  private func noteEnqueue(isForeign: Bool) {
    if !isForeign, DrivingThread.isDriving(ObjectIdentifier(self)) { return }
    withLock { agenda, _ in if isForeign || agenda.depth > 0 { agenda.foreignEnqueueCount += 1 } }
  }
}
