extension Publisher where Output: Encodable {
  /// Encodes each value with an encoder.
  ///
  ///     [User()].publisher.encode(encoder: JSONEncoder())
  ///
  /// ![The source publishes [1, 2], [3] and [inf] and is cancelled; the result publishes [1,2] and [3] and fails.](diagram-encode)
  ///
  /// If the encoder throws, the operator cancels upstream and the stream fails with that error. Demand, completion and
  /// cancellation pass through unchanged.
  ///
  /// - Parameter encoder: The encoder for the values.
  /// - Complexity: The encoder's work for each value.
  @inlinable
  public __consuming func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/encode(encoder:)`` returns.
  @frozen
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
    public typealias Output = Coder.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let encoder: Coder

    @inlinable
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let encoder = encoder
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(
          TryMapStage { try encoder.encode($0) }, subscriber, as: OperatorName("encode")))
    }
  }
}
