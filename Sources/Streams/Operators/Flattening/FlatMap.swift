extension Publisher {
  /// Transforms each value into a publisher and merges the values from these publishers.
  ///
  ///     ids.flatMap { load($0) }
  ///
  /// ![ids publishes a and b and finishes; load(a) publishes a1, a2 and a3 and finishes; load(b) publishes b1, b2 and b3 and finishes; the result publishes a1, b1, a2, b2, a3 and b3 and finishes.](diagram-flatMap)
  ///
  /// ![ids publishes a and b and finishes; load(a) publishes a1 and a2 and finishes; load(b) publishes b1 and b2 and finishes; the result publishes a1, a2, b1 and b2 and finishes.](diagram-flatMap-maxPublishers)
  ///
  /// At most `maxPublishers` publishers run at a time. The operator requests that many values from upstream, regardless of
  /// downstream demand, and one more each time a publisher finishes. A finished publisher counts as running as long as one of its
  /// values is waiting.
  ///
  /// Unlimited demand is forwarded to each publisher. If demand is limited or there's none, the operator requests one value from
  /// each publisher on subscription, and the next one when that value has been delivered. At most `maxPublishers` values are
  /// waiting at any time, and the operator delivers them in turn.
  ///
  /// The stream finishes when upstream and all publishers have finished. It fails as soon as one of them fails, which cancels the
  /// others. Cancellation cancels upstream and all publishers. A `maxPublishers` of `.none` stops the program with a message.
  ///
  /// - Parameters:
  ///   - maxPublishers: The maximum number of publishers that run at a time. The default is unlimited.
  ///   - transform: A closure that returns the publisher to subscribe to for a value.
  @inlinable
  public __consuming func flatMap<T, P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Transforms values into publishers and merges these publishers, when only they can fail.
  ///
  /// It's otherwise like ``flatMap(maxPublishers:_:)-60vvr``.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
    setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
  }

  /// Transforms values into publishers and merges these publishers, when neither they nor upstream can fail.
  ///
  /// It's otherwise like ``flatMap(maxPublishers:_:)-60vvr``.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
    Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
  }
}

extension Publisher {
  /// Transforms values into publishers that can't fail, and merges these publishers.
  ///
  /// It's otherwise like ``flatMap(maxPublishers:_:)-60vvr``.
  @inlinable
  public __consuming func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
    let failureType = Failure.self
    return flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: failureType) }
  }
}

extension Publishers {
  /// The publisher that `flatMap(maxPublishers:_:)` returns.
  @frozen
  public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
  where NewPublisher.Failure == Upstream.Failure {
    public typealias Output = NewPublisher.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let maxPublishers: Subscribers.Demand
    public let transform: (Upstream.Output) -> NewPublisher

    @inlinable
    public init(
      upstream: Upstream, maxPublishers: Subscribers.Demand, transform: @escaping (Upstream.Output) -> NewPublisher
    ) {
      require(
        maxPublishers != .none,
        or:
          "flatMap(maxPublishers:) requires a maximum of at least 1, got .none. Use .max(1) for one publisher at a time."
      )
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      MergeEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), maxPublishers: maxPublishers)
        .attach(outer: upstream, transform)
    }
  }
}
