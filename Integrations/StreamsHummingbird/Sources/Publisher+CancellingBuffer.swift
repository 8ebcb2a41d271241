internal import StreamAlgorithms
internal import Streams
internal import Synchronization

extension Publisher {
  /// Buffers values, and calls a closure if the strategy `.cancel` ends the stream.
  ///
  /// A loop that writes doesn't notice that end before its client has read. The closure lets it end the connection earlier.
  func buffer(
    bounded bound: Int, whenFull: OverflowStrategy<Failure>, whenCancelled: @escaping @Sendable () -> Void
  ) -> some Publisher<Output, Failure> & SendableMetatype where Self: SendableMetatype {
    let hasCompleted = Flag()
    return handleEvents(receiveCompletion: { _ in hasCompleted.raise() })
      .buffer(bounded: bound, whenFull: whenFull)
      // Of all the strategies, only this one finishes a stream whose source hasn't completed.
      .handleEvents(receiveCompletion: { if case .finished = $0, !hasCompleted.isRaised { whenCancelled() } })
  }
}

private final class Flag: Sendable {
  private let flag = Atomic(false)
  var isRaised: Bool { flag.load(ordering: .acquiring) }
  func raise() { flag.store(true, ordering: .releasing) }
}
