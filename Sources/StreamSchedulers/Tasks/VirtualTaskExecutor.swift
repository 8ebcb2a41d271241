internal import Dispatch
internal import Streams

/// Runs tasks on a timeline; ``TestScheduler/taskExecutor`` is one.
package final class VirtualTaskExecutor: TaskExecutor, @unchecked Sendable {
  // `Sendable` is unchecked because of the weak reference: it is never set again, and the runtime makes reading it safe.
  private(set) weak var timeline: Timeline?

  /// The timeline, for modules above.
  package var owner: Timeline? { timeline }

  init(_ timeline: Timeline) { self.timeline = timeline }

  /// Keeps a piece of a task until time is moved on; it is due now.
  package func enqueue(_ job: consuming ExecutorJob) {
    guard let timeline else { return globalConcurrentExecutor.enqueue(job) }
    timeline.enqueue(UnownedJob(job), .tasks(asUnownedTaskExecutor()), lane: .none)
  }
}

/// Runs the jobs of an actor on a test scheduler's timeline, one after the other in the order in which they came.
///
/// ```swift
/// actor Account {
///   private let executor: VirtualSerialExecutor
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
///
/// An actor with it stays on the timeline also when tasks call it that do not belong there. When the scheduler has gone, it
/// runs jobs on a queue of its own.
public final class VirtualSerialExecutor: SerialExecutor, @unchecked Sendable {
  // `Sendable` is unchecked because of the weak reference: it is never set again, and the runtime makes reading it safe.
  private weak var timeline: Timeline?
  private let lane: ActionTable.Lane

  init(_ timeline: Timeline, lane: ActionTable.Lane) {
    self.timeline = timeline
    self.lane = lane
  }

  /// Keeps a job until time is moved on; it is due now.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    guard let timeline else { return TimelineJob.orphans.async { job.runSynchronously(on: executor) } }
    timeline.enqueue(job, .serial(executor), lane: lane)
  }
}

extension TestScheduler {
  /// Runs tasks on this scheduler's timeline.
  ///
  /// A task that prefers it runs inside of `advance`, `run` and `step`, on the thread that calls them, and so do its child
  /// tasks, the functions that it calls and the default actors that it talks to. When the scheduler has gone, it runs tasks
  /// on the threads of the process.
  ///
  /// ```swift
  /// Task(executorPreference: scheduler.taskExecutor) { await model.load() }
  /// ```
  public var taskExecutor: (any TaskExecutor)? { timeline.taskExecutor }

  /// Makes an executor for an actor, whose jobs run on this scheduler's timeline.
  public func makeSerialExecutor() -> VirtualSerialExecutor {
    VirtualSerialExecutor(timeline, lane: timeline.makeLane())
  }
}

extension Timeline {
  func makeLane() -> ActionTable.Lane {
    withLock { agenda, _ in
      agenda.laneCount += 1
      // The first numbers are those of closures and of the main actor.
      return ActionTable.Lane(number: agenda.laneCount + 1)
    }
  }
}
