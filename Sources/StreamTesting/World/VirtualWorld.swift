internal import Dispatch
internal import StreamSchedulers
internal import Streams
internal import Synchronization

/// The virtual worlds of this process: scopes in which a thread moves everything that its tasks do onto a timeline.
///
/// A world is entered and left on the main actor without suspension in between, so all worlds that exist at the same
/// time are nested, on one thread. A task belongs to the world in which it was started, even while another world is
/// entered inside that one.
///
/// **Which tasks were started in a world.** A hook sees jobs, not the starts of tasks. If the hook sees a task's first
/// job on the thread of a world, the task was started there, unless its identifier shows that it's older than the
/// world. If the hook sees the first job on another thread, the task is outside for as long as any world lasts.
///
/// **What a hook can't see.** Jobs of custom executors, of actors, and of the real main actor, and the part of a `Task.immediate`
/// before its first suspension. A task that another thread starts in one of these ways is mistaken for a task of the world if the
/// world's thread is the first to resume it on the global executor. A job that starts an actor's work isn't part of a task, so it
/// belongs to the world whose thread enqueues it, whoever called the actor. Jobs of both kinds go to the real executors when the
/// world ends.
enum VirtualWorld {
  /// The worlds of this process, and tasks that belong to none of them.
  private struct Worlds {
    /// The current worlds, the innermost one last.
    var entered: [TimelineWorld] = []

    /// The identifiers of the tasks that are known to have been started elsewhere since the outermost world was
    /// entered, keyed by the tasks' addresses.
    var outsiders: [UInt: UInt64] = [:]

    /// Returns the world in which a task was started, if that world is known and entered.
    func owner(of task: UInt64, at address: UInt) -> TimelineWorld? {
      entered.last { $0.tasks[address] == task }
    }

    /// Returns the world that started a task whose first job is now seen in `world`: that world, or the nearest one
    /// around it that's older than the task.
    func birthplace(of task: UInt64, in world: TimelineWorld) -> TimelineWorld? {
      var isReached = false
      return entered.last {
        isReached = isReached || $0 === world
        return isReached && $0.newestOlderTask < task
      }
    }
  }

  // The lock protects the worlds and the tasks.
  private nonisolated(unsafe) static let worlds = Locked(Worlds())

  private static let host = WorldHost(
    task: { RuntimeHooks.task(of: $0) },
    isYield: { RuntimeHooks.isYield($0) },
    forget: { task, world in
      let address = UInt(bitPattern: task.toOpaque())
      let displaced = worlds.withLock { _ -> [UInt: UInt64] in
        world.tasks[address] = nil
        // Removing entries doesn't make a dictionary smaller.
        guard world.tasks.isEmpty, world.tasks.capacity > 64 else { return [:] }
        let all = world.tasks
        world.tasks = [:]
        return all
      }
      withExtendedLifetime(displaced) {}
    })

  /// The timeline that a job goes to, and whether its task was resumed by a thread outside of all worlds.
  struct Owner {
    let timeline: Timeline
    let isForeign: Bool
  }

  /// Returns the owner of a job: the world in which its task was started, if that world is entered.
  static func owner(of job: UnownedJob) -> Owner? {
    let here = DrivingThread.currentWorld
    // A thread outside of all worlds needs to search only while there is one.
    guard here != nil || TimelineWorld.isAnyEntered.load(ordering: .relaxed) else { return nil }
    let task = RuntimeHooks.taskIdentifier(of: job)
    // Jobs that aren't part of a task, such as an actor's, all have the identifier 0, which must not be recorded as a task.
    guard task != 0 else { return here.map { Owner(timeline: $0.timeline, isForeign: false) } }
    return worlds.withLock { worlds in
      let address = job.address
      if let owner = worlds.owner(of: task, at: address) {
        return Owner(timeline: owner.timeline, isForeign: here == nil)
      }
      if worlds.outsiders[address] == task { return nil }
      guard let here else {
        // Older tasks are recognized by their identifiers.
        if let outermost = worlds.entered.first, outermost.newestOlderTask < task { worlds.outsiders[address] = task }
        return nil
      }
      // A task that prefers the timeline runs on it, wherever it was started, so its jobs on the main actor do, too.
      let isOfTimeline = DrivingThread.isRunningJobOfTimeline(job)
      guard let owner = isOfTimeline ? here : worlds.birthplace(of: task, in: here) else { return nil }
      owner.tasks[address] = task
      return Owner(timeline: owner.timeline, isForeign: false)
    }
  }

  /// Calls a closure in the world of a timeline.
  @MainActor
  static func enter<Result>(_ timeline: Timeline, _ body: @MainActor () throws -> Result) rethrows -> Result {
    let world = timeline.world ?? TimelineWorld(timeline, host)
    timeline.world = world
    RuntimeHooks.install()
    let newestTask = RuntimeHooks.newestTask()
    worlds.withLock { worlds in
      if !world.isEntered { world.newestOlderTask = newestTask }
      worlds.entered.append(world)
      world.entryCount += 1
    }
    TimelineWorld.isAnyEntered.store(true, ordering: .relaxed)
    defer { leave(world) }
    return try DrivingThread.current.entering(world) { try body() }
  }

  @MainActor
  private static func leave(_ world: TimelineWorld) {
    let isOver = worlds.withLock { worlds in
      world.entryCount -= 1
      _ = worlds.entered.popLast()
      if worlds.entered.isEmpty {
        worlds.outsiders = [:]
      } else if !world.isEntered {
        // When a world ends, its tasks don't join another one.
        worlds.outsiders.merge(world.tasks) { $1 }
      }
      return worlds.entered.isEmpty
    }
    if isOver { TimelineWorld.isAnyEntered.store(false, ordering: .relaxed) }
    if !world.isEntered { handOverJobs(of: world.timeline) }
  }

  /// Hands the remaining jobs over to the real executors, rather than to an outer world's.
  private static func handOverJobs(of timeline: Timeline) {
    DrivingThread.current.entering(nil) { timeline.handOverJobsOfWorld() }
  }

  /// Hands over jobs that reached their timeline just after their world had ended.
  fileprivate static func handOverLateJobs(of timeline: Timeline) {
    let isOver = worlds.withLock { worlds in !worlds.entered.contains { $0.timeline === timeline } }
    if isOver { handOverJobs(of: timeline) }
  }

  /// Returns the number of tasks that are known to belong to the world of a timeline.
  static func taskCount(of timeline: Timeline) -> Int {
    worlds.withLock { _ in timeline.world?.tasks.count ?? 0 }
  }
}

/// The main actor's executor in a virtual world.
///
/// It's never deallocated, because tasks may outlive their world. They then continue on the real main actor.
final class VirtualMainExecutor: SerialExecutor {
  static let shared = VirtualMainExecutor()

  /// The host that runs jobs of the main actor when they're due.
  private static let host = Unmanaged.passRetained(
    MainJobHost(
      run: { $0.runSynchronously(on: shared.asUnownedSerialExecutor()) }, adopt: { enqueueOnMainQueue($0) }))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let owner = VirtualWorld.owner(of: job) else { return Self.enqueueOnMainQueue(job) }
    owner.timeline.enqueue(job, onMainActorOf: Self.host, isForeign: owner.isForeign)
    if owner.isForeign { VirtualWorld.handOverLateJobs(of: owner.timeline) }
  }

  static func enqueueOnMainQueue(_ job: UnownedJob) {
    DispatchQueue.main.async { job.runSynchronously(on: shared.asUnownedSerialExecutor()) }
  }

  /// Returns whether the caller is isolated to the main actor of its thread's world, or `nil` outside of worlds. The
  /// caller is isolated unless a job that doesn't belong to that actor is running.
  func isIsolatingCurrentContext() -> Bool? {
    DrivingThread.isOnMainActorOfWorld
  }

  func checkIsolated() {
    if isIsolatingCurrentContext() == true { return }
    dispatchPrecondition(condition: .onQueue(.main))
  }
}

extension VirtualWorld.Owner {
  /// Enqueues a job that the runtime would have given to the global concurrent executor.
  func enqueue(_ job: UnownedJob) {
    timeline.enqueueTask(job, isForeign: isForeign)
    if isForeign { VirtualWorld.handOverLateJobs(of: timeline) }
  }
}
