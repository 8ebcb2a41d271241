internal import Streams

/// An observation of something outside streams, which lasts until its subscriber cancels.
final class Observation {
  private let ending: Locked<(() -> Void)?>

  /// Creates an observation that has begun.
  ///
  /// - Parameter end: A closure that ends the observation. It is called once, with no lock held.
  init(end: @escaping () -> Void) { ending = Locked(end) }

  private func end() { ending.withLock { $0.take() }?() }

  /// Returns a publisher that ends the observation when its subscriber cancels.
  func publisher<Source: Publisher>(_ source: Source) -> Publishers.HandleEvents<Source> {
    source.handleEvents(receiveCancel: end)
  }
}
