internal import Foundation
internal import Streams

/// What the current thread is doing with virtual time.
final class DrivingThread {
  // Who sets these keeps the timeline until it sets them back. They are set for each job, so they keep nothing themselves.

  /// The timeline whose actions this thread is running, the innermost one.
  private(set) var timeline: ObjectIdentifier?

  /// The timelines whose actions are running further out on this thread, most often none.
  private var outerTimelines: [ObjectIdentifier] = []

  /// The timeline whose job this thread is running, the innermost one.
  var jobTimeline: ObjectIdentifier?

  /// The virtual world that this thread is in: the innermost, or that of the timeline which it is moving on.
  var world: VirtualWorld?

  /// Whether this thread, in a world, is running a job that does not belong to the main actor.
  var isRunningOffMain = false

  /// How often the system had taken the processor from this thread when the job began that it is running.
  var contextSwitchCount = 0

  /// Whether this thread is running actions of a timeline, further in or out.
  func isDriving(_ timeline: Timeline) -> Bool {
    let timeline = ObjectIdentifier(timeline)
    return self.timeline == timeline || outerTimelines.contains(timeline)
  }

  /// Runs something while this thread is known to be moving a timeline on; what is started meanwhile belongs to its world.
  func driving<Result>(_ timeline: Timeline, _ body: () -> Result) -> Result {
    let outer = (timeline: self.timeline, world: world)
    if let outer = outer.timeline { outerTimelines.append(outer) }
    self.timeline = ObjectIdentifier(timeline)
    // Worlds are entered and left on one thread; on others nobody may look.
    if outer.world != nil, let own = timeline.world, own.isEntered { world = own }
    defer {
      world = outer.world
      self.timeline = outer.timeline
      if outer.timeline != nil { _ = outerTimelines.popLast() }
    }
    return body()
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key) { Unmanaged<DrivingThread>.fromOpaque($0!).release() }
    require(result == 0, or: "Streams could not create a thread-local key: the process has too many of them.")
    return key
  }()

  /// That of the calling thread.
  static var current: DrivingThread {
    if let known = existing { return known }
    let thread = DrivingThread()
    pthread_setspecific(key, Unmanaged.passRetained(thread).toOpaque())
    return thread
  }

  /// That of the calling thread, if it has ever had to do with virtual time.
  static var existing: DrivingThread? {
    pthread_getspecific(key).map { Unmanaged<DrivingThread>.fromOpaque($0).takeUnretainedValue() }
  }
}
