extension Publisher {
  /// Decodes each value with a decoder.
  ///
  ///     data.publisher.decode(type: User.self, decoder: JSONDecoder())
  ///
  /// ![The source publishes [1,2], [3] and oops and is cancelled; the result publishes [1, 2] and [3] and fails.](diagram-decode)
  ///
  /// If the decoder throws, the operator cancels upstream and the stream fails with that error. Demand, completion and
  /// cancellation pass through unchanged.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded values.
  ///   - decoder: The decoder for the values.
  /// - Complexity: The decoder's work for each value.
  @inlinable
  public __consuming func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/decode(type:decoder:)`` returns.
  @frozen
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let decoder: Coder

    @inlinable
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let decoder = decoder
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(
          TryMapStage { try decoder.decode(Output.self, from: $0) }, subscriber, as: OperatorName("decode")))
    }
  }
}
