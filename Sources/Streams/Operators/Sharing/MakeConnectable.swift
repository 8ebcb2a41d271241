extension Publisher where Failure == Never {
  /// Makes this publisher wait for ``ConnectablePublisher/connect()``, so that you can attach several subscribers first.
  ///
  ///     let shared = typedNames.makeConnectable()
  ///     shared.sink { print("first", $0) }.store(in: &cancellables)
  ///     shared.sink { print("second", $0) }.store(in: &cancellables)
  ///     shared.connect().store(in: &cancellables)
  ///
  /// ![The source publishes a and b and finishes; connect() is called: ✓; subscriber 1 receives a and b and finishes; subscriber 2 receives a and b and finishes.](diagram-makeConnectable)
  ///
  /// The values pass through a ``PassthroughSubject``. The operator requests unlimited demand from upstream once it's connected
  /// and a subscriber has requested something. A subscriber misses values that it hasn't requested. Cancel the connection to
  /// cancel upstream.
  ///
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @inlinable
  public __consuming func makeConnectable() -> Publishers.MakeConnectable<Self> {
    Publishers.MakeConnectable(upstream: self)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/makeConnectable()`` returns.
  @frozen
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher where Upstream.Failure == Never {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    @usableFromInline
    let multicast: Multicast<Upstream, PassthroughSubject<Output, Never>>

    /// Creates the publisher.
    ///
    /// - Parameter upstream: The upstream publisher.
    @inlinable
    public init(upstream: Upstream) { multicast = upstream.multicast(subject: PassthroughSubject()) }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      multicast.subscribe(subscriber)
    }

    /// Subscribes to upstream.
    ///
    /// - Returns: The connection, which lasts until it's cancelled or released.
    @inlinable
    public func connect() -> any Cancellable { multicast.connect() }
  }
}

extension Publishers.MakeConnectable: CancellableFirstConnectable {
  package func connect(handingOver keep: (any Cancellable) -> Void) { multicast.connect(handingOver: keep) }
}

extension Publishers.MakeConnectable: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
