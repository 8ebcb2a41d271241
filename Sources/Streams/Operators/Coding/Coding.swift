extension Publisher where Output: Encodable {
  /// Encodes every value; an error of the encoder cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of encode](diagram-encode)
  @inlinable
  public __consuming func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

extension Publisher {
  /// Decodes every value; an error of the decoder cancels upstream and ends the stream.
  ///
  ///     data.publisher.decode(type: User.self, decoder: JSONDecoder())
  ///
  /// ![Marble diagram of decode](diagram-decode)
  @inlinable
  public __consuming func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/encode(encoder:)``.
  @frozen
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
    /// The type of value this publisher publishes.
    public typealias Output = Coder.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = any Error

    /// The upstream publisher.
    public let upstream: Upstream

    /// What encodes a value.
    public let encoder: Coder

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let encoder = encoder
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryMapStage { try encoder.encode($0) }, subscriber))
    }
  }

  /// The publisher of ``Publisher/decode(type:decoder:)``.
  @frozen
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    /// The type of error this publisher may fail with.
    public typealias Failure = any Error

    /// The upstream publisher.
    public let upstream: Upstream

    /// What decodes a value.
    public let decoder: Coder

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let decoder = decoder
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(TryMapStage { try decoder.decode(Output.self, from: $0) }, subscriber))
    }
  }
}
