extension Publisher where Failure == Never {
  /// Makes this publisher wait for ``ConnectablePublisher/connect()``, so that several subscribers can be attached first.
  ///
  /// ![Marble diagram of makeConnectable](diagram-makeConnectable)
  @inlinable
  public __consuming func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/makeConnectable()``.
  @frozen
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher where Upstream.Failure == Never {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// This publisher cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let multicast: Multicast<Upstream, PassthroughSubject<Output, Never>>

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { multicast = upstream.multicast(subject: PassthroughSubject()) }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      multicast.subscribe(subscriber)
    }

    /// Attaches to upstream, until what is returned is cancelled or let go of.
    @inlinable
    public func connect() -> any Cancellable { multicast.connect() }
  }
}

extension Publishers.MakeConnectable {
  /// Attaches to upstream, and hands over before that what stops it.
  @inlinable
  public func connect(handingOver keep: (any Cancellable) -> Void) { multicast.connect(handingOver: keep) }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
