extension Publisher {
  /// Shares one subscription among many subscribers.
  ///
  ///     let page = load().share()   // loads once for all subscribers at a time
  ///
  /// ![The source publishes a, b and c and finishes; subscriber 1 receives a, b and c and finishes; subscriber 2, subscribed at 300 ms, receives b and c and finishes.](diagram-share)
  ///
  /// The operator subscribes to upstream when the first subscriber arrives, and cancels upstream when the last one has cancelled.
  /// A later subscriber starts a new subscription to upstream. The operator requests unlimited demand from upstream as soon as a
  /// subscriber requests something. A subscriber misses values that it hasn't requested. After completion, a subscriber receives
  /// the completion, without another subscription to upstream.
  ///
  /// - Returns: An object that publishes the same values.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers. O(1) for each subscriber that arrives or
  ///   leaves.
  @inlinable
  public __consuming func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publishers {
  /// The publisher that ``Publisher/share()`` returns.
  @_fixed_layout
  public final class Share<Upstream: Publisher>: Publisher, Equatable {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @usableFromInline let connection = Connection()

    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (shared, connects) = connection.enter { Broadcast<Output, Failure>().core }
      let broadcast = Broadcast<Output, Failure>(unsafeDowncast(shared, to: BroadcastCore.self))
      broadcast.subscribe(ShareSubscriber(subscriber, connection))
      if let connects { connection.connect(upstream, to: PassthroughSubject(broadcast), connects) }
    }

    /// Returns whether both publishers are the same object.
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

/// Forwards values from one of this package's subjects without a check, because such a subject doesn't send anything
/// after its completion.
@usableFromInline @frozen
package struct ShareSubscriber<Downstream: Subscriber>: ConnectedSubscriber {
  @usableFromInline package let downstream: Downstream
  @usableFromInline package let subscription: AutoconnectSubscription

  @inlinable
  package init(_ downstream: Downstream, _ connection: Connection) {
    self.downstream = downstream
    subscription = connection.makeSubscription()
  }

  @inlinable
  package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }
}

extension ShareSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links("share", to: Downstream.self) }
}

// Unchecked: locks protect the mutable state. Values cross threads, as in subjects.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
