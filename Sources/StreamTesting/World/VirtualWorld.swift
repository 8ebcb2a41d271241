internal import Dispatch
internal import StreamSchedulers
internal import Streams
internal import Synchronization

/// The virtual worlds of this process: scopes in which a thread moves everything that its tasks do onto a timeline.
///
/// A world is entered on the main actor and left before that is given up; all worlds that exist at the same time are
/// therefore nested, on one thread. A task belongs to the world in which it was started, even while another world is
/// entered inside that one.
enum VirtualWorld {
  /// The worlds of this process and the tasks that belong to them.
  private struct Worlds {
    /// The worlds that have been entered and not been left, the innermost one last.
    var entered: [TimelineWorld] = []

    /// The worlds of tasks, by the task's identifier, so that a task is recognized when it is resumed by a thread that
    /// is in no world or in another one.
    var owners: [UInt64: TimelineWorld] = [:]
  }

  // The lock protects its content.
  private nonisolated(unsafe) static let worlds = Locked(Worlds())

  /// The timeline that a job goes to, and whether its task was resumed by a thread that is in no world.
  struct Owner {
    let timeline: Timeline
    let isForeign: Bool
  }

  /// Returns the owner of a job: the world in which its task was started, or else the world of the calling thread.
  ///
  /// A job that another thread enqueues for an unknown task belongs to no world: the task may have outlived its own.
  static func owner(of job: UnownedJob) -> Owner? {
    let here = DrivingThread.currentWorld
    // Other threads need to look only while there is a world.
    guard here != nil || TimelineWorld.isAnyEntered.load(ordering: .relaxed) else { return nil }
    let task = RuntimeHooks.taskIdentifier(of: job)
    return worlds.withLock { worlds in
      if let owner = worlds.owners[task] {
        return owner.isEntered ? Owner(timeline: owner.timeline, isForeign: here == nil) : nil
      }
      guard let world = here else { return nil }
      // Jobs that are not part of a task, such as an actor with work to do, have the identifier 0, which must not stand
      // for all of them.
      if task != 0 { worlds.owners[task] = world }
      return Owner(timeline: world.timeline, isForeign: false)
    }
  }

  /// Calls a closure in the world of a timeline.
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
        // The tasks of a world that has ended stay known until the outermost one ends: they belong to no other world.
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
/// It is never deallocated, because tasks may outlive their world: they then continue on the real main actor.
final class VirtualMainExecutor: SerialExecutor {
  static let shared = VirtualMainExecutor()

  /// The host that runs jobs of the main actor when they are due.
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

  /// Returns whether the caller is isolated to the main actor of the world that its thread is in, which it is unless a
  /// job that does not belong to that actor is running; `nil` outside of worlds.
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
  }
}
