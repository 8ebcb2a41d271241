internal import Foundation
internal import Streams

/// What the current thread is doing with virtual time.
final class DrivingThread {
  // Who sets these keeps the timeline until it sets them back. They are set for each job, so they keep nothing themselves.

  /// The timeline whose actions this thread is running, the innermost one.
  var timeline: ObjectIdentifier?

  /// The timeline whose job this thread is running, the innermost one.
  var jobTimeline: ObjectIdentifier?

  /// The virtual world that this thread is in.
  var world: VirtualWorld?

  /// Whether this thread, in a world, is running a job that does not belong to the main actor.
  var isRunningOffMain = false

  /// How often the system had taken the processor from this thread when the job began that it is running.
  var contextSwitchCount = 0

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
