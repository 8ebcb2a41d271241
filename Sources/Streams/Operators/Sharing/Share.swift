extension Publisher {
  /// Sends what this publisher sends to many subscribers, with one subscription upstream.
  ///
  /// ![Marble diagram of share](diagram-share)
  ///
  /// The first subscriber attaches it, and when the last one leaves upstream is cancelled; who comes after that attaches
  /// it again. Upstream is asked for everything; a subscriber that wants nothing when a value comes does not get it. A
  /// subscriber that comes after the end receives the completion, and upstream is not attached again.
  @inlinable
  public __consuming func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publishers {
  /// The publisher of ``Publisher/share()``.
  @_fixed_layout
  public final class Share<Upstream: Publisher>: Publisher, Equatable {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is shared.
    public let upstream: Upstream

    @usableFromInline let subject = PassthroughSubject<Output, Failure>()

    @usableFromInline let connection = Connection()

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let connects = connection.enter()
      subject.subscribe(ShareSubscriber(subscriber, connection))
      connection.connect(upstream, to: subject, connects)
    }

    /// Whether both are the same object.
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

// Unchecked: what changes is behind the lock of a broadcast, and values cross threads as with subjects.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
