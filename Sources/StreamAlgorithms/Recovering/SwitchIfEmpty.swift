public import Streams

extension Publisher {
  /// Continues with another publisher if this one finishes without a value.
  ///
  ///     cached(id).switchIfEmpty(to: loaded(id))
  ///
  /// ![source finishes; other, subscribed to at 200 ms, publishes a and b and finishes; the result publishes a and b and finishes.](diagram-switchIfEmpty)
  ///
  /// When this publisher finishes without a value, the operator subscribes to the other one and requests the remaining demand
  /// from it. A failure ends the stream. To replace an empty stream with one value, use `replaceEmpty(with:)`.
  ///
  /// Nothing is buffered. Cancellation cancels the publisher that is running.
  ///
  /// - Parameter other: The publisher that continues the stream.
  @inlinable @_disfavoredOverload
  public __consuming func switchIfEmpty<P: Publisher>(
    to other: P
  ) -> SwitchIfEmptyPublisher<Self, P> where P.Output == Output, P.Failure == Failure {
    SwitchIfEmptyPublisher(upstream: self, other: other)
  }
}

/// The publisher that ``Streams/Publisher/switchIfEmpty(to:)`` returns.
@frozen
public struct SwitchIfEmptyPublisher<Upstream: Publisher, Other: Publisher>: Publisher
where Other.Output == Upstream.Output, Other.Failure == Upstream.Failure {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other

  @inlinable
  init(upstream: Upstream, other: Other) {
    self.upstream = upstream
    self.other = other
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let (upstream, other) = (upstream, other)
    let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "switchIfEmpty(to:)")
    engine.follow { engine, slot in
      engine.attach(upstream, to: slot) { engine, completion in
        if case .finished = completion, !engine.newestHasSent {
          engine.follow { $0.attach(last: other, to: $1) }
        } else {
          engine.end(with: completion)
        }
      }
    }
  }
}

extension SwitchIfEmptyPublisher: Equatable where Upstream: Equatable, Other: Equatable {}
extension SwitchIfEmptyPublisher: Sendable where Upstream: Sendable, Other: Sendable {}
