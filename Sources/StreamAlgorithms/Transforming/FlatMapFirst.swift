public import Streams

extension Publisher {
  /// Transforms a value into a publisher, and drops further upstream values until that publisher has finished.
  ///
  ///     saveTaps.flatMapFirst { save(document) }
  ///
  /// ![source publishes a, b and c and finishes; save(a) publishes a1 and a2 and finishes; save(c) publishes c1 and c2 and finishes; the result publishes a1, a2, c1 and c2 and finishes.](diagram-flatMapFirst)
  ///
  /// Unlike with `switchToLatest()`, the first publisher wins, not the newest. A finished inner publisher counts as running
  /// until its values have been delivered.
  ///
  /// The operator requests unlimited demand from upstream on subscription. From an inner publisher, it requests one value at a
  /// time, or unlimited demand if downstream does. The stream finishes when upstream and the last inner publisher have
  /// finished. As soon as one of them fails, the stream fails and the other is cancelled. Values are delivered on the inner
  /// publisher's thread or, if a value had to wait, on the thread that requests it.
  ///
  /// - Parameter transform: A closure that transforms a value into a publisher.
  @inlinable @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> FlatMapFirstPublisher<P, Self> where P.Failure == Failure {
    FlatMapFirstPublisher(upstream: self, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Transforms values like ``flatMapFirst(_:)-22vfg``, where this publisher can't fail and the inner publishers can.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> FlatMapFirstPublisher<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMapFirst(transform)
  }

  /// Transforms values like ``flatMapFirst(_:)-22vfg``, where neither this publisher nor the inner ones can fail.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> FlatMapFirstPublisher<P, Self> where P.Failure == Never {
    FlatMapFirstPublisher(upstream: self, transform: transform)
  }
}

extension Publisher {
  /// Transforms values like ``flatMapFirst(_:)-22vfg``, where the inner publishers can't fail.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func flatMapFirst<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> FlatMapFirstPublisher<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    let failureType = Failure.self
    return flatMapFirst { transform($0).setFailureType(to: failureType) }
  }
}

/// The publisher that `flatMapFirst(_:)` returns.
@frozen
public struct FlatMapFirstPublisher<NewPublisher: Publisher, Upstream: Publisher>: Publisher
where NewPublisher.Failure == Upstream.Failure {
  public typealias Output = NewPublisher.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Output) -> NewPublisher

  @inlinable
  init(upstream: Upstream, transform: @escaping (Upstream.Output) -> NewPublisher) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    // `Share` drops values without demand, and nothing is requested from it while an inner publisher is running.
    MergeEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), maxPublishers: .max(1), .flatMapFirst
    ).attach(outer: Publishers.Share(upstream: upstream), transform)
  }
}
