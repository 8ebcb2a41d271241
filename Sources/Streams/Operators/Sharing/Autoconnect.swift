extension ConnectablePublisher {
  /// Connects when the first subscriber arrives, and disconnects when the last one cancels.
  ///
  ///     DispatchQueue.main.timerPublisher(every: .seconds(1)).autoconnect()
  ///
  /// If another subscriber arrives after that, the publisher connects again. After completion, the publisher never connects
  /// again, and later subscribers receive only what the connectable publisher still sends, such as its completion.
  ///
  /// ![The source publishes a, b, c and d and is cancelled; subscriber 1 receives a and b and cancels; subscriber 2 receives b, c and d and cancels.](diagram-autoconnect)
  ///
  /// Demand passes through to the connectable publisher unchanged.
  ///
  /// - Complexity: O(1) for each value and for each subscriber that arrives or leaves, plus the connectable publisher's own
  ///   work.
  @inlinable
  public __consuming func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publishers {
  /// The publisher that ``ConnectablePublisher/autoconnect()`` returns.
  @_fixed_layout
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @usableFromInline let connection = Connection()

    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber, and connects if no other is attached and none has received the completion.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let connects = connection.enter()
      upstream.subscribe(AutoconnectSubscriber(subscriber, connection))
      // In the meantime, the subscriber may have left or received the completion.
      guard let connects, connection.isWanted(connects) else { return }
      upstream.connect(keeping: { connection.connected($0, connects) })
    }
  }
}

/// Drops values after completion or cancellation, because the connectable publisher may be foreign code that still sends them.
@usableFromInline @frozen
struct AutoconnectSubscriber<Downstream: Subscriber>: ConnectedSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let subscription: AutoconnectSubscription

  @inlinable
  init(_ downstream: Downstream, _ connection: Connection) {
    self.downstream = downstream
    subscription = connection.makeSubscription()
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    subscription.isForwarding ? downstream.receive(input) : .none
  }
}

extension AutoconnectSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("autoconnect", to: Downstream.self)
  }
}

// Unchecked: locks protect the mutable state. Values cross threads, as in subjects.
extension Publishers.Autoconnect: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
