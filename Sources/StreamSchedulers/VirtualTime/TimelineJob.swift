internal import Dispatch
internal import Streams

/// A job that waits for its turn on a timeline.
///
/// If the timeline is released before the job's turn, the job runs elsewhere, so that no task hangs: a task's job on the global
/// concurrent executor, an actor's job on a serial queue, and the main actor's job on the main actor.
final class TimelineJob: @unchecked Sendable {
  // `Sendable` is unchecked because of `job`, which passes from the enqueuing thread to the driving thread under the timeline's
  // lock.
  enum Home {
    /// The job belongs to a task that prefers the timeline.
    case tasks(UnownedTaskExecutor)

    /// The job belongs to the timeline only because its task was started in the timeline's world.
    case world(UnownedTaskExecutor)

    /// The job belongs to an actor or a task on a serial executor.
    case serial(UnownedSerialExecutor)

    /// The job belongs to the main actor of the timeline's world. The host is never released, so this enum can hold it
    /// unmanaged and is copied without a retain.
    case main(Unmanaged<MainJobHost>)
  }

  private var job: UnownedJob?
  private let home: Home

  // Used only in `run`, which the timeline calls.
  private unowned(unsafe) let timeline: Timeline

  init(_ job: UnownedJob, _ home: Home, _ timeline: Timeline) {
    self.job = job
    self.home = home
    self.timeline = timeline
  }

  func run() {
    guard let job = job.take() else { return }
    DrivingThread.unmanaged._withUnsafeGuaranteedRef { thread in
      guard let world = thread.world, world.timeline === timeline else { return run(job, on: thread) }
      run(job, on: thread, in: world)
    }
  }

  /// Runs a job in this timeline's world. If the job's task has recognizably ended, the world then forgets it.
  ///
  /// The runtime doesn't report when a task ends. However, a task retains itself until then, so if nothing else retains a task
  /// after its job, the task has either ended or will never continue. An ended task that is still retained elsewhere isn't
  /// recognized.
  @inline(never)
  private func run(_ job: UnownedJob, on thread: DrivingThread, in world: TimelineWorld) {
    guard let task = world.host.task(job) else { return run(job, on: thread) }
    var held = task.takeUnretainedValue()
    run(job, on: thread)
    if isKnownUniquelyReferenced(&held) { world.host.forget(task, world) }
  }

  @inline(__always)
  private func run(_ job: UnownedJob, on thread: DrivingThread) {
    let outer = (timeline: thread.jobTimeline, isOffMain: thread.isRunningJobOffMainActor)
    let outerJob = (ofTimeline: thread.jobOfTimeline, isOfWorld: thread.isRunningJobOfWorld)
    thread.jobTimeline = ObjectIdentifier(timeline)
    thread.jobOfTimeline = 0
    thread.isRunningJobOfWorld = false
    if timeline.tellsOfJobs { timeline.tellOfJob(on: thread) }
    switch home {
    case .tasks(let executor):
      thread.isRunningJobOffMainActor = true
      thread.jobOfTimeline = job.address
      job.runSynchronously(on: executor)
    case .world(let executor):
      thread.isRunningJobOffMainActor = true
      thread.isRunningJobOfWorld = true
      job.runSynchronously(on: executor)
    case .serial(let executor):
      thread.isRunningJobOffMainActor = true
      job.runSynchronously(on: executor)
    case .main(let host) where thread.world?.timeline === timeline:
      thread.isRunningJobOffMainActor = false
      host._withUnsafeGuaranteedRef { $0.run(job) }
    // The job's world has ended, so this thread may not be on the main actor.
    case .main(let host): host._withUnsafeGuaranteedRef { $0.adopt(job) }
    }
    thread.jobTimeline = outer.timeline
    thread.isRunningJobOffMainActor = outer.isOffMain
    thread.jobOfTimeline = outerJob.ofTimeline
    thread.isRunningJobOfWorld = outerJob.isOfWorld
  }

  deinit {
    guard let job else { return }
    switch home {
    case .tasks, .world: globalConcurrentExecutor.enqueue(ExecutorJob(job))
    // The queue is serial, so the executor's jobs still run one after the other.
    case .serial(let executor): Self.orphans.async { job.runSynchronously(on: executor) }
    case .main(let host): host._withUnsafeGuaranteedRef { $0.adopt(job) }
    }
  }

  /// The queue for jobs of serial executors whose timeline is gone.
  static let orphans = DispatchQueue(label: "StreamSchedulers.orphans")
}

extension Timeline {
  /// Enqueues a job for the current date.
  ///
  /// A job is foreign if a thread outside any world resumes a world's task.
  func enqueue(_ job: UnownedJob, _ home: TimelineJob.Home, lane: ActionTable.Lane, isForeign: Bool = false) {
    // This precedes the insertion: once the job is inserted, the test may end at any time.
    noteEnqueue(isForeign: isForeign)
    let kept = TimelineJob(job, home, self)
    // The closure captures a single object, so it doesn't need its own allocation.
    _ = insert(after: nil, lane: lane) { kept.run() }
  }

  /// Counts a job if it's foreign, or if it enters from another thread while this timeline is being driven.
  private func noteEnqueue(isForeign: Bool) {
    if !isForeign, DrivingThread.isDriving(ObjectIdentifier(self)) { return }
    withLock { agenda, _ in if isForeign || agenda.depth > 0 { agenda.foreignEnqueueCount += 1 } }
  }
}
