import DequeModule

/// Runs tasks on the thread that asks for it, so that what they cost can be counted: no thread waits for another one.
public final class JobQueue: TaskExecutor, @unchecked Sendable {
  // Unchecked: one thread enqueues and runs.
  @exclusivity(unchecked) private var jobs = Deque<UnownedJob>()

  /// Makes a queue without tasks.
  public init() {}

  /// Keeps a job until it is run.
  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs what is enqueued until all tasks wait or have ended.
  public func run() {
    while let job = jobs.popFirst() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs the work of an actor on the thread that asks for it.
public final class ActorJobQueue: SerialExecutor, @unchecked Sendable {
  // Unchecked: one thread enqueues and runs.
  @exclusivity(unchecked) private var jobs = Deque<UnownedJob>()

  /// Makes a queue without work.
  public init() {}

  /// Keeps a job until it is run.
  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs what is enqueued.
  public func run() {
    while let job = jobs.popFirst() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}

/// Sends numbers in portions, and has tasks run after each of them.
///
/// - Parameters:
///   - runActor: Runs the work of an actor that does not work on the queue of the tasks.
///   - start: Starts the task that adds up what comes; it runs on the queue that is handed to it.
@inlinable
public func inTurns(
  _ count: Int, perTurn: Int, send: (Int) -> Void, finish: () -> Void, runActor: () -> Void = {},
  start: (JobQueue, Sum) -> Void
) -> Int {
  let jobs = JobQueue()
  let sum = Sum()
  start(jobs, sum)
  jobs.run()
  runActor()
  var value = 0
  while value < count {
    let end = min(value + perTurn, count)
    while value < end {
      send(value)
      value += 1
    }
    jobs.run()
    runActor()
  }
  finish()
  jobs.run()
  runActor()
  return sum.value
}
