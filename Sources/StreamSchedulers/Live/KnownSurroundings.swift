internal import Dispatch
internal import Streams
internal import Synchronization

/// What this module tells the kernel about where code runs; installed when one of its schedulers is first used.
package enum KnownSurroundings {
  package static let install: Void = Surroundings.install(
    Surroundings(
      isOnMainActor: {
        if TimelineWorld.isAnyEntered.load(ordering: .relaxed), let isIsolated = DrivingThread.isOnMainActorOfWorld {
          return isIsolated
        }
        return MainQueue.isCurrent
      },
      taskExecutor: { DrivingThread.existing?.taskExecutor },
      report: { message, place in place.report(message) }))
}

/// The main queue, which serves the main actor.
enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller runs on the main queue or on one that has it as its target.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
