internal import Dispatch
internal import StreamSchedulers
internal import Streams
internal import Synchronization

/// The stretches of time in which threads take everything that their tasks do onto a timeline.
///
/// A world is entered on the main actor and left before that is let go of; so all worlds that there are at a time are inside of
/// one another, on one thread. A task belongs to the world in which it was started, also while another one is inside of that.
enum VirtualWorld {
  /// The worlds of this process, and what belongs to them.
  private struct Worlds {
    /// Those that have been entered and not been left, the innermost last.
    var entered: [TimelineWorld] = []

    /// The tasks that have been taken onto a timeline, so that they are known when another thread resumes them, or a thread
    /// that is in another world.
    var owners: [UInt64: TimelineWorld] = [:]
  }

  // The lock protects what is in it.
  private nonisolated(unsafe) static let worlds = Locked(Worlds())

  /// The timeline that a job goes to, and whether its task is known to have been resumed by a thread that is in no world.
  struct Owner {
    let timeline: Timeline
    let isForeign: Bool
  }

  /// The owner of a job: the world in which its task was started, or else that which the calling thread is in.
  ///
  /// A job that another thread enqueues and whose task nobody knows belongs to no world: it may be that of a task which has
  /// outlived its own.
  static func owner(of job: UnownedJob) -> Owner? {
    let here = DrivingThread.currentWorld
    // Only while there is a world do other threads have to look.
    guard here != nil || TimelineWorld.isAnyEntered.load(ordering: .relaxed) else { return nil }
    let task = RuntimeHooks.taskIdentifier(of: job)
    return worlds.withLock { worlds in
      if let owner = worlds.owners[task] {
        return owner.isEntered ? Owner(timeline: owner.timeline, isForeign: here == nil) : nil
      }
      guard let world = here else { return nil }
      // What is not a piece of a task, such as an actor with work to do, has no number, and must not stand for all of them.
      if task != 0 { worlds.owners[task] = world }
      return Owner(timeline: world.timeline, isForeign: false)
    }
  }

  /// Runs something in the world of a timeline.
  @MainActor
  static func enter<Result>(_ timeline: Timeline, _ body: @MainActor () throws -> Result) rethrows -> Result {
    let world = timeline.world ?? TimelineWorld(timeline)
    timeline.world = world
    RuntimeHooks.install()
    worlds.withLock { worlds in
      worlds.entered.append(world)
      world.entryCount += 1
    }
    TimelineWorld.isAnyEntered.store(true, ordering: .relaxed)
    defer {
      let isOver = worlds.withLock { worlds in
        world.entryCount -= 1
        _ = worlds.entered.popLast()
        // Until the outermost world ends, the tasks of an ended one are known: they belong to no other.
        if worlds.entered.isEmpty { worlds.owners = [:] }
        return worlds.entered.isEmpty
      }
      if isOver { TimelineWorld.isAnyEntered.store(false, ordering: .relaxed) }
    }
    return try DrivingThread.current.entering(world) { try body() }
  }
}

/// The main actor's executor in a virtual world.
///
/// It never ends, as tasks may outlive their world: then they go on on the real main actor.
final class VirtualMainExecutor: SerialExecutor {
  static let shared = VirtualMainExecutor()

  /// Runs jobs of the main actor when their turn comes.
  private static let host = Unmanaged.passRetained(
    MainJobHost(
      run: { $0.runSynchronously(on: shared.asUnownedSerialExecutor()) }, adopt: { enqueueOnMainQueue($0) }))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let owner = VirtualWorld.owner(of: job) else { return Self.enqueueOnMainQueue(job) }
    owner.timeline.enqueue(job, onMainActorOf: Self.host, isForeign: owner.isForeign)
  }

  static func enqueueOnMainQueue(_ job: UnownedJob) {
    DispatchQueue.main.async { job.runSynchronously(on: shared.asUnownedSerialExecutor()) }
  }

  /// Whether the caller has the main actor: inside of a world, where no task is run that does not belong to it.
  func isIsolatingCurrentContext() -> Bool? {
    DrivingThread.isOnMainActorOfWorld
  }

  func checkIsolated() {
    if isIsolatingCurrentContext() == true { return }
    dispatchPrecondition(condition: .onQueue(.main))
  }
}

extension VirtualWorld.Owner {
  /// Keeps a job that the runtime would have given to the threads of the process.
  func enqueue(_ job: UnownedJob) {
    timeline.enqueueTask(job, isForeign: isForeign)
  }
}
