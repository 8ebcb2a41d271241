internal import Dispatch
internal import Streams
internal import Synchronization

/// The functions that this module installs in `Streams` when one of its schedulers is first used. They tell `Streams` where
/// code runs.
package enum KnownExecutionEnvironment {
  package static let install: Void = ExecutionEnvironment.install(
    ExecutionEnvironment(
      isOnMainActor: {
        if TimelineWorld.isAnyEntered.load(ordering: .relaxed), let isIsolated = DrivingThread.isOnMainActorOfWorld {
          return isIsolated
        }
        return MainQueue.isCurrent
      },
      taskExecutor: { DrivingThread.existing?.taskExecutor }))
}

/// The main queue, which serves the main actor.
enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Indicates whether the caller runs on the main queue or on a queue that targets it.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
