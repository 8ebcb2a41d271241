internal import Dispatch
internal import Streams

/// The executor that runs tasks on a timeline, such as ``TestScheduler/taskExecutor``.
package final class VirtualTaskExecutor: TaskExecutor, @unchecked Sendable {
  // `Sendable` is unchecked because of the weak reference. It's set only once, and the runtime reads it atomically.
  private(set) weak var timeline: Timeline?

  /// The timeline, for modules above.
  package var owner: Timeline? { timeline }

  init(_ timeline: Timeline) { self.timeline = timeline }

  /// Enqueues a task's job, which is due at the current date and runs when time is advanced.
  package func enqueue(_ job: consuming ExecutorJob) {
    guard let timeline else { return globalConcurrentExecutor.enqueue(job) }
    let job = UnownedJob(job)
    // A world's task that yields comes here too, although it doesn't prefer this executor.
    if DrivingThread.isYieldInWorld(job) { return timeline.enqueueTask(job, isForeign: false) }
    timeline.enqueue(job, .tasks(asUnownedTaskExecutor()), lane: .none)
  }
}

/// A serial executor that runs an actor's jobs in order on a test scheduler's timeline.
///
/// ```swift
/// actor Account {
///   private let executor: VirtualSerialExecutor
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///   init(executor: VirtualSerialExecutor) { self.executor = executor }
/// }
/// let account = Account(executor: scheduler.makeSerialExecutor())
/// ```
///
/// Jobs run in the order in which they're enqueued. An actor with this executor stays on the timeline even when tasks outside
/// the timeline call the actor. After the timeline's schedulers and clocks have been released, jobs run on a serial dispatch
/// queue.
public final class VirtualSerialExecutor: SerialExecutor, @unchecked Sendable {
  // `Sendable` is unchecked because of the weak reference. It's set only once, and the runtime reads it atomically.
  private weak var timeline: Timeline?
  private let lane: ActionTable.Lane

  init(_ timeline: Timeline, lane: ActionTable.Lane) {
    self.timeline = timeline
    self.lane = lane
  }

  /// Enqueues a job, which is due at the current date and runs when you advance time.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    guard let timeline else { return TimelineJob.orphans.async { job.runSynchronously(on: executor) } }
    timeline.enqueue(job, .serial(executor), lane: lane)
  }
}

extension TestScheduler {
  /// The executor that runs tasks on this scheduler's timeline.
  ///
  /// A task that prefers this executor runs inside `advance`, `run` and `step`, on the calling thread. Its child tasks, the
  /// functions that it calls and the default actors that it uses run there too. After the timeline's schedulers and clocks have
  /// been released, tasks run on the global concurrent executor.
  ///
  /// ```swift
  /// Task(executorPreference: scheduler.taskExecutor) { await model.load() }
  /// ```
  public var taskExecutor: (any TaskExecutor)? { timeline.taskExecutor }

  /// Creates a serial executor that runs an actor's jobs on this scheduler's timeline.
  ///
  /// ```swift
  /// let executor = scheduler.makeSerialExecutor()
  /// ```
  ///
  /// - Returns: A new serial executor, whose order is independent of other executors.
  public func makeSerialExecutor() -> VirtualSerialExecutor {
    VirtualSerialExecutor(timeline, lane: timeline.makeLane())
  }
}

extension Timeline {
  func makeLane() -> ActionTable.Lane {
    withLock { agenda, _ in
      agenda.laneCount += 1
      // The first numbers belong to closures and to the main actor.
      return ActionTable.Lane(number: agenda.laneCount + 1)
    }
  }
}
