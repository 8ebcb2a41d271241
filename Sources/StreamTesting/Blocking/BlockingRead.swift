internal import StreamSchedulers
internal import Streams

/// A blocking read that is subscribing: timelines tell it that the stream depends on them.
final class BlockingRead: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the list.
  /// For each scheduler, whether something still waits there and nobody is moving time on.
  private let schedulers = Locked<[() -> Bool]>([])

  /// Runs the subscription of a read.
  func watch<Result>(_ subscribe: () -> Result) -> Result {
    ArmingObservation.observing(
      { timeline in
        self.add { [weak timeline] in
          timeline?.isStuck ?? false
        }
      }, subscribe)
  }

  private func add(isStuck: @escaping () -> Bool) { schedulers.withLock { $0.append(isStuck) } }

  /// Whether the stream waits for a scheduler in vain.
  var isStuck: Bool { schedulers.withLock { $0 }.contains { $0() } }
}
