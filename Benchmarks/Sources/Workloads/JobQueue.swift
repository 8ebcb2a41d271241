import DequeModule

/// An executor that runs tasks on the thread that calls ``run()``, so that their cost can be counted: no thread waits
/// for another one.
public final class JobQueue: TaskExecutor, @unchecked Sendable {
  // Unchecked: one thread enqueues and runs.
  @exclusivity(unchecked) private var jobs = Deque<UnownedJob>()

  /// Creates a queue without tasks.
  public init() {}

  /// Keeps a job until it is run.
  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs the enqueued jobs until all tasks wait or have ended.
  public func run() {
    while let job = jobs.popFirst() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// An executor that runs the work of an actor on the thread that calls ``run()``.
public final class ActorJobQueue: SerialExecutor, @unchecked Sendable {
  // Unchecked: one thread enqueues and runs.
  @exclusivity(unchecked) private var jobs = Deque<UnownedJob>()

  /// Creates a queue without work.
  public init() {}

  /// Keeps a job until it is run.
  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs the enqueued jobs.
  public func run() {
    while let job = jobs.popFirst() { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}

/// Sends numbers in portions, and runs tasks after each of them.
///
/// - Parameters:
///   - runActor: A closure that runs the work of an actor whose executor is not the queue of the tasks.
///   - start: A closure that starts the task that adds up the numbers; the task runs on the queue that is passed to it.
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
