extension Publisher {
  /// Leaves out the first so many values and passes on the others.
  ///
  ///     [1, 2, 3].publisher.dropFirst()   // 2 3
  ///
  /// ![Marble diagram of dropFirst](diagram-dropFirst)
  ///
  /// A value that is left out gives its demand back. Cancellation and completion pass through.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable
  public __consuming func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/dropFirst(_:)``.
  @frozen
  public struct Drop<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// How many values are left out.
    public let count: Int

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      requireNotNegative(count, in: "dropFirst")
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropStage(count), subscriber))
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct DropStage<Input>: Stage {
  @usableFromInline var remaining: Int

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  init(_ count: Int) { remaining = count }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    if remaining == 0 { return .emit(input) }
    remaining &-= 1
    return .skip
  }
}

extension Publishers.Drop: Sendable where Upstream: Sendable {}
