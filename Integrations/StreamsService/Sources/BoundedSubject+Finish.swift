public import StreamAlgorithms
public import Streams

extension BoundedSubject {
  /// Completes the subject when another publisher sends its first value, and publishes the subject's values until then.
  ///
  /// ```swift
  /// StreamService("orders") { stop in orders.finish(when: stop).map(maxTasks: 16) { await store($0) } }
  /// ```
  ///
  /// Other publishers are cancelled by `finish(when:)`. A bounded subject would then drop the values that are waiting in it,
  /// although `send` has returned for them. This overload completes the subject instead. All of its
  /// subscribers receive the values that it has accepted, then the completion. Later senders receive a `CancellationError`.
  ///
  /// Demand passes through unchanged. For each subscriber, the operator subscribes to `stop` and ignores its completion or
  /// failure. Cancelling the stream cancels that subscription and leaves the subject as it is.
  ///
  /// - Parameter stop: The publisher whose first value completes the subject.
  /// - Returns: A publisher of the subject's values.
  public func finish<Stop: Publisher>(when stop: Stop) -> some Publisher<Output, Failure> {
    Deferred {
      let stopping = stop.prefix(1).sink(isolation: nil) { _ in
      } receiveValue: { _ in
        self.send(completion: .finished)
      }
      return self.handleEvents(
        receiveCompletion: { _ in stopping.cancel() }, receiveCancel: { stopping.cancel() })
    }
  }
}
