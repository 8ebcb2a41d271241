internal import Dispatch
internal import Streams
internal import Synchronization

/// A stretch of time in which a thread takes everything that its tasks do onto one timeline.
///
/// There is one at a time: it is entered on the main actor and left before that is let go of.
final class VirtualWorld: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the set.
  let timeline: Timeline

  /// The tasks that have been taken onto the timeline, so that they are known when another thread resumes them.
  private let tasks = Locked<Set<UInt64>>([])

  // The lock protects what is in it.
  private nonisolated(unsafe) static let active = Locked<VirtualWorld?>(nil)

  /// Whether there is a world: most of the time there is none, and nobody has to take the lock to know.
  private static let isActive = Atomic<Bool>(false)

  init(_ timeline: Timeline) { self.timeline = timeline }

  func add(_ task: UInt64) {
    // What is not a piece of a task, such as an actor with work to do, has no number, and must not stand for all of them.
    if task != 0 { tasks.withLock { _ = $0.insert(task) } }
  }

  private func contains(_ task: UInt64) -> Bool { tasks.withLock { $0.contains(task) } }

  /// The timeline that a job belongs to: that of the world which the calling thread is in, or else that of the world in
  /// which its task was started.
  static func owner(of job: UnownedJob) -> Timeline? {
    let thread = DrivingThread.existing
    if let world = thread?.world {
      world.add(RuntimeHooks.taskIdentifier(of: job))
      return world.timeline
    }
    // Only while there is a world do other threads have to look.
    guard isActive.load(ordering: .relaxed), let world = active.withLock({ $0 }),
      world.contains(RuntimeHooks.taskIdentifier(of: job))
    else { return nil }
    return world.timeline
  }

  /// The timeline of the world that there is, if any, for jobs of its main actor.
  static var mainTimeline: Timeline? {
    (DrivingThread.existing?.world ?? active.withLock { $0 })?.timeline
  }

  /// Runs something in a new world.
  @MainActor
  static func enter<Result>(_ timeline: Timeline, _ body: @MainActor () throws -> Result) rethrows -> Result {
    let thread = DrivingThread.current
    let world = VirtualWorld(timeline)
    let outer = (world: thread.world, isOffMain: thread.isRunningOffMain)
    RuntimeHooks.install()
    thread.world = world
    thread.isRunningOffMain = false
    active.withLock { $0 = world }
    isActive.store(true, ordering: .relaxed)
    defer {
      thread.world = outer.world
      thread.isRunningOffMain = outer.isOffMain
      active.withLock { $0 = outer.world }
      isActive.store(outer.world != nil, ordering: .relaxed)
    }
    return try body()
  }
}

/// The main actor's executor in a virtual world.
///
/// It never ends, as tasks may outlive their world: then they go on on the real main actor.
final class VirtualMainExecutor: SerialExecutor {
  static let shared = VirtualMainExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let timeline = VirtualWorld.mainTimeline else { return Self.enqueueOnMainQueue(job) }
    DrivingThread.existing?.world?.add(RuntimeHooks.taskIdentifier(of: job))
    timeline.enqueue(job, .main, lane: .mainActor)
  }

  static func enqueueOnMainQueue(_ job: UnownedJob) {
    DispatchQueue.main.async { job.runSynchronously(on: shared.asUnownedSerialExecutor()) }
  }

  /// Whether the caller has the main actor: inside of a world, where no task is run that does not belong to it.
  func isIsolatingCurrentContext() -> Bool? {
    guard let thread = DrivingThread.existing, thread.world != nil else { return nil }
    return !thread.isRunningOffMain
  }

  func checkIsolated() {
    if isIsolatingCurrentContext() == true { return }
    dispatchPrecondition(condition: .onQueue(.main))
  }
}

extension Timeline {
  /// Keeps a job that the runtime would have given to the threads of the process.
  func enqueueInWorld(_ job: UnownedJob) {
    enqueue(job, .tasks(taskExecutor.asUnownedTaskExecutor()), lane: .none)
  }
}
