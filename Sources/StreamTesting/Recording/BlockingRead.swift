internal import StreamSchedulers
internal import Streams

/// The state of a blocking read. While it subscribes, timelines inform it when the stream depends on them.
final class BlockingRead: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the list.
  /// For each scheduler, a closure that returns whether work is pending there and no code is advancing time.
  private let schedulers = Locked<[() -> Bool]>([])

  /// Calls the closure that subscribes, and observes the timelines on which the closure schedules work.
  func watch<Result>(_ subscribe: () -> Result) -> Result {
    ArmingObservation.observing(
      { timeline in
        self.add { [weak timeline] in
          timeline?.isStuck ?? false
        }
      }, subscribe)
  }

  private func add(isStuck: @escaping () -> Bool) { schedulers.withLock { $0.append(isStuck) } }

  /// Indicates whether the stream waits for a scheduler in vain.
  var isStuck: Bool { schedulers.withLock { $0 }.contains { $0() } }
}
