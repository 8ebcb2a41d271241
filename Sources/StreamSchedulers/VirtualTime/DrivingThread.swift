internal import Streams

/// The current thread's state in virtual time.
package final class DrivingThread {
  // The code that sets these fields retains the timeline until it resets them. They are set for each job, so they
  // retain nothing.

  // Exclusive: only this thread uses these, and each access is a load or a store, in which no outside code runs.

  /// The timeline whose actions this thread is running, the innermost one.
  @exclusivity(unchecked) private(set) var timeline: ObjectIdentifier?

  var taskExecutor: (any TaskExecutor)? {
    // The call that advances the timeline retains it, and that call is on this thread.
    timeline.map { timeline in
      let object = UnsafeRawPointer(bitPattern: UInt(bitPattern: timeline)).unsafelyUnwrapped
      return Unmanaged<Timeline>.fromOpaque(object).takeUnretainedValue().taskExecutor
    }
  }

  /// The timelines whose actions are running further out on this thread, usually none.
  @exclusivity(unchecked) private var outerTimelines: [ObjectIdentifier] = []

  /// The timeline whose job this thread is running, the innermost one.
  @exclusivity(unchecked) var jobTimeline: ObjectIdentifier?

  /// The address of the job that this thread is running, the innermost one, if its task prefers the timeline.
  @exclusivity(unchecked) var jobOfTimeline: UInt = 0

  /// Indicates whether the job that this thread is running, the innermost one, belongs to the timeline only because its
  /// task was started in the timeline's world.
  @exclusivity(unchecked) var isRunningJobOfWorld = false

  /// Indicates whether the calling thread is running a job, whose task prefers the thread's timeline.
  package static func isRunningJobOfTimeline(_ job: UnownedJob) -> Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.jobOfTimeline == job.address }
  }

  /// Indicates whether a job is a task's turn after it has yielded, in a job of a world that this thread is running.
  static func isYieldInWorld(_ job: UnownedJob) -> Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { thread in
      thread.isRunningJobOfWorld && thread.world?.host.isYield(job) == true
    }
  }

  /// The virtual world (a scope whose tasks all run on one timeline) that this thread is in: the innermost one, or the
  /// world of the timeline that it's advancing.
  @exclusivity(unchecked) var world: TimelineWorld?

  /// Indicates whether this thread, in a world, is running a job that doesn't belong to the main actor.
  @exclusivity(unchecked) var isRunningJobOffMainActor = false

  /// The note that the timeline's owner took before this thread's job, in ``Timeline/onJob(_:)``.
  @exclusivity(unchecked) package var noteOfJob = 0

  /// Indicates whether the calling thread is running actions of a timeline, at any nesting level.
  @inline(__always)
  static func isDriving(_ timeline: ObjectIdentifier) -> Bool {
    guard let existing = local.pointer else { return false }
    // Called for each job, so the thread is not retained.
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { thread in
      thread.timeline == timeline || thread.isDrivingFurtherOut(timeline)
    }
  }

  @inline(never)
  private func isDrivingFurtherOut(_ timeline: ObjectIdentifier) -> Bool { outerTimelines.contains(timeline) }

  /// Runs a closure while this thread counts as advancing a timeline. Tasks that it starts belong to the timeline's
  /// world.
  @inline(__always)
  func driving<Result>(_ timeline: Timeline, _ body: () -> Result) -> Result {
    let outer = self.timeline
    if let outer { outerTimelines.append(outer) }
    self.timeline = ObjectIdentifier(timeline)
    // Worlds are entered and left on one thread; other threads must not read them.
    let outerWorld = world == nil ? nil : enterWorld(of: timeline)
    defer {
      if outerWorld != nil { world = outerWorld }
      self.timeline = outer
      if outer != nil { _ = outerTimelines.popLast() }
    }
    return body()
  }

  /// Enters the world of a timeline, if it's entered further out. Returns the world that is left for that time.
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

  /// The state of the calling thread, which the thread retains, without another retain, for code that runs for each
  /// job.
  static var unmanaged: Unmanaged<DrivingThread> {
    if let known = local.pointer { return .fromOpaque(known) }
    let thread = Unmanaged.passRetained(DrivingThread())
    local.pointer = thread.toOpaque()
    return thread
  }

  /// The state of the calling thread, or `nil` if it has never had to do with virtual time.
  static var existing: DrivingThread? {
    local.pointer.map { Unmanaged<DrivingThread>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The world that the calling thread is in, or `nil`.
  ///
  /// Modules above read it through functions of this module, because elsewhere the compiler checks each access to a
  /// field.
  package static var currentWorld: TimelineWorld? {
    guard let existing = local.pointer else { return nil }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world }
  }

  package static var isInWorld: Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world != nil }
  }

  /// Runs a closure on this thread, on the main actor of a world, or in no world.
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
  /// The address of the job, which is its task's, if it belongs to one.
  package var address: UInt { unsafeBitCast(self, to: UInt.self) }
}
