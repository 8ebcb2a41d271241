internal import Streams

/// A thread's state in virtual time.
package final class DrivingThread {
  // The fields are set for each job, so they don't retain the timeline. The code that sets them retains the timeline until it
  // resets them.

  // Exclusive: only this thread uses these fields, and each access is a load or a store, during which no
  // outside code runs.

  /// The innermost timeline whose actions this thread is running.
  @exclusivity(unchecked) private(set) var timeline: ObjectIdentifier?

  var taskExecutor: (any TaskExecutor)? {
    // The call that advances the timeline retains it, and that call is on this thread.
    timeline.map { timeline in
      let object = UnsafeRawPointer(bitPattern: UInt(bitPattern: timeline)).unsafelyUnwrapped
      return Unmanaged<Timeline>.fromOpaque(object).takeUnretainedValue().taskExecutor
    }
  }

  /// The outer timelines whose actions are running on this thread, usually none.
  @exclusivity(unchecked) private var outerTimelines: [ObjectIdentifier] = []

  /// The timeline of the innermost job that this thread is running.
  @exclusivity(unchecked) var jobTimeline: ObjectIdentifier?

  /// The address of the innermost job that this thread is running, if the job's task prefers the timeline, otherwise zero.
  @exclusivity(unchecked) var jobOfTimeline: UInt = 0

  /// Indicates whether the innermost job that this thread is running belongs to the timeline only because its task was started
  /// in the timeline's world.
  @exclusivity(unchecked) var isRunningJobOfWorld = false

  /// Returns whether the calling thread is running the given job and the job's task prefers the thread's timeline.
  package static func isRunningJobOfTimeline(_ job: UnownedJob) -> Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.jobOfTimeline == job.address }
  }

  /// Returns whether this thread is running a world's job and the given job resumes a task that has yielded.
  static func isYieldInWorld(_ job: UnownedJob) -> Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { thread in
      thread.isRunningJobOfWorld && thread.world?.host.isYield(job) == true
    }
  }

  /// The innermost virtual world (a scope whose tasks all run on one timeline) that this thread is in, or the world of the
  /// timeline that it's advancing.
  @exclusivity(unchecked) var world: TimelineWorld?

  /// Indicates whether this thread is running a job that doesn't belong to the main actor. It matters only in a world.
  @exclusivity(unchecked) var isRunningJobOffMainActor = false

  /// The value that the timeline's owner noted before this thread's job, in the closure passed to ``Timeline/onJob(_:)``.
  @exclusivity(unchecked) package var noteOfJob = 0

  /// Returns whether the calling thread is running a timeline's actions, at any nesting level.
  @inline(__always)
  static func isDriving(_ timeline: ObjectIdentifier) -> Bool {
    guard let existing = local.pointer else { return false }
    // Called for each job, so the thread isn't retained.
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { thread in
      thread.timeline == timeline || thread.isDrivingFurtherOut(timeline)
    }
  }

  @inline(never)
  private func isDrivingFurtherOut(_ timeline: ObjectIdentifier) -> Bool { outerTimelines.contains(timeline) }

  /// Runs a closure while this thread counts as advancing a timeline. Tasks that the closure starts belong to the timeline's
  /// world.
  @inline(__always)
  func driving<Result>(_ timeline: Timeline, _ body: () -> Result) -> Result {
    let outer = self.timeline
    if let outer { outerTimelines.append(outer) }
    self.timeline = ObjectIdentifier(timeline)
    // Worlds are entered and left on one thread. Other threads must not read them.
    let outerWorld = world == nil ? nil : enterWorld(of: timeline)
    defer {
      if outerWorld != nil { world = outerWorld }
      self.timeline = outer
      if outer != nil { _ = outerTimelines.popLast() }
    }
    return body()
  }

  /// Makes a timeline's world the current one if the world has been entered further out. Returns the previous world, or `nil`
  /// if nothing changes.
  @inline(never)
  private func enterWorld(of timeline: Timeline) -> TimelineWorld? {
    guard let own = timeline.world, own !== world, own.isEntered else { return nil }
    defer { world = own }
    return world
  }

  private static let local: ThreadLocalObject = {
    guard let local = ThreadLocalObject() else {
      stopProgram("Streams could not create a thread-local key: the process has too many of them.")
    }
    return local
  }()

  package static var current: DrivingThread { unmanaged.takeUnretainedValue() }

  /// The calling thread's state, unretained, for code that runs for each job. The thread retains the state.
  static var unmanaged: Unmanaged<DrivingThread> {
    if let known = local.pointer { return .fromOpaque(known) }
    let thread = Unmanaged.passRetained(DrivingThread())
    local.pointer = thread.toOpaque()
    return thread
  }

  /// The state of the calling thread, or `nil` if the thread has never used virtual time.
  static var existing: DrivingThread? {
    local.pointer.map { Unmanaged<DrivingThread>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The world that the calling thread is in, or `nil`.
  ///
  /// Higher-level modules use this property instead of reading `world`: outside this module, the compiler inserts an
  /// exclusivity check at each access to a stored property.
  package static var currentWorld: TimelineWorld? {
    guard let existing = local.pointer else { return nil }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world }
  }

  package static var isInWorld: Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world != nil }
  }

  /// Runs a closure on this thread, as the main actor of a world or, if `world` is `nil`, outside any world.
  package func entering<Result>(_ world: TimelineWorld?, _ body: () throws -> Result) rethrows -> Result {
    let outer = (world: self.world, isOffMain: isRunningJobOffMainActor)
    self.world = world
    isRunningJobOffMainActor = false
    defer {
      self.world = outer.world
      isRunningJobOffMainActor = outer.isOffMain
    }
    return try body()
  }

  /// Indicates whether the caller is on the main actor of its thread's world, or `nil` outside worlds.
  package static var isOnMainActorOfWorld: Bool? {
    guard let thread = existing, thread.world != nil else { return nil }
    return !thread.isRunningJobOffMainActor
  }
}

extension UnownedJob {
  /// The job's address. A task's job has the task's address.
  package var address: UInt { unsafeBitCast(self, to: UInt.self) }
}
