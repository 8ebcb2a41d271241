internal import Streams

/// What a subscriber observes outside of streams, until it cancels.
final class Observation {
  private let ending: Locked<(() -> Void)?>

  /// Makes one that has begun.
  ///
  /// - Parameter end: Ends it; called once, outside of the lock.
  init(end: @escaping () -> Void) { ending = Locked(end) }

  private func end() { ending.withLock { $0.take() }?() }

  /// A publisher of what is observed, which ends the observation when its subscriber cancels.
  func publisher<Source: Publisher>(_ source: Source) -> Publishers.HandleEvents<Source> {
    source.handleEvents(receiveCancel: end)
  }
}
