internal import Streams

/// What the current thread is doing with virtual time.
package final class DrivingThread {
  // Who sets these keeps the timeline until it sets them back. They are set for each job, so they keep nothing themselves.

  // Exclusive: only this thread uses these, and each access is a load or a store, in which nothing unknown runs.

  /// The timeline whose actions this thread is running, the innermost one.
  @exclusivity(unchecked) private(set) var timeline: ObjectIdentifier?

  /// What runs tasks on that timeline.
  var taskExecutor: (any TaskExecutor)? {
    // Whoever moves the timeline on keeps it meanwhile, and it is this thread that does.
    timeline.map { timeline in
      let object = UnsafeRawPointer(bitPattern: UInt(bitPattern: timeline)).unsafelyUnwrapped
      return Unmanaged<Timeline>.fromOpaque(object).takeUnretainedValue().taskExecutor
    }
  }

  /// The timelines whose actions are running further out on this thread, most often none.
  @exclusivity(unchecked) private var outerTimelines: [ObjectIdentifier] = []

  /// The timeline whose job this thread is running, the innermost one.
  @exclusivity(unchecked) var jobTimeline: ObjectIdentifier?

  /// The world that this thread is in: the innermost, or that of the timeline which it is moving on.
  @exclusivity(unchecked) var world: TimelineWorld?

  /// Whether this thread, in a world, is running a job that does not belong to the main actor.
  @exclusivity(unchecked) var isRunningOffMain = false

  /// What the timeline's owner has noted before the job that this thread is running; see ``Timeline/onJob(_:)``.
  @exclusivity(unchecked) package var noteOfJob = 0

  /// Whether the calling thread is running actions of a timeline, further in or out.
  @inline(__always)
  static func isDriving(_ timeline: ObjectIdentifier) -> Bool {
    guard let existing = local.pointer else { return false }
    // Asked for each job: the thread is not retained.
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { thread in
      thread.timeline == timeline || thread.isDrivingFurtherOut(timeline)
    }
  }

  @inline(never)
  private func isDrivingFurtherOut(_ timeline: ObjectIdentifier) -> Bool { outerTimelines.contains(timeline) }

  /// Runs something while this thread is known to be moving a timeline on; what is started meanwhile belongs to its world.
  @inline(__always)
  func driving<Result>(_ timeline: Timeline, _ body: () -> Result) -> Result {
    let outer = self.timeline
    if let outer { outerTimelines.append(outer) }
    self.timeline = ObjectIdentifier(timeline)
    // Worlds are entered and left on one thread; on others nobody may look.
    let outerWorld = world == nil ? nil : enterWorld(of: timeline)
    defer {
      if outerWorld != nil { world = outerWorld }
      self.timeline = outer
      if outer != nil { _ = outerTimelines.popLast() }
    }
    return body()
  }

  /// Enters the world of a timeline, if somebody is in it further out; returns the one that is left meanwhile.
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

  /// That of the calling thread.
  package static var current: DrivingThread { unmanaged.takeUnretainedValue() }

  /// The same for what runs for each job: the thread keeps it, and it is not retained each time.
  static var unmanaged: Unmanaged<DrivingThread> {
    if let known = local.pointer { return .fromOpaque(known) }
    let thread = Unmanaged.passRetained(DrivingThread())
    local.pointer = thread.toOpaque()
    return thread
  }

  /// That of the calling thread, if it has ever had to do with virtual time.
  static var existing: DrivingThread? {
    local.pointer.map { Unmanaged<DrivingThread>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The world that the calling thread is in.
  ///
  /// Modules above ask with functions of this one, since elsewhere the compiler checks each access to a field.
  package static var currentWorld: TimelineWorld? {
    guard let existing = local.pointer else { return nil }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world }
  }

  /// Whether the calling thread is in a world.
  package static var isInWorld: Bool {
    guard let existing = local.pointer else { return false }
    return Unmanaged<DrivingThread>.fromOpaque(existing)._withUnsafeGuaranteedRef { $0.world != nil }
  }

  /// Runs something on this thread, on the main actor of a world, or of none.
  package func entering<Result>(_ world: TimelineWorld?, _ body: () throws -> Result) rethrows -> Result {
    let outer = (world: self.world, isOffMain: isRunningOffMain)
    self.world = world
    isRunningOffMain = false
    defer {
      self.world = outer.world
      isRunningOffMain = outer.isOffMain
    }
    return try body()
  }

  /// Whether the caller has the main actor of the world that its thread is in; `nil` outside of worlds.
  package static var isOnMainActorOfWorld: Bool? {
    guard let thread = existing, thread.world != nil else { return nil }
    return !thread.isRunningOffMain
  }
}
