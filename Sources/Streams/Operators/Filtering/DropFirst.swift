extension Publisher {
  /// Drops the first `count` values and publishes the rest.
  ///
  ///     [1, 2, 3].publisher.dropFirst()   // 2 3
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 2 and 3 and finishes.](diagram-dropFirst)
  ///
  /// On subscription, the operator requests the values that it will drop, in addition to the downstream demand. Dropped values
  /// don't count against that demand. Completion and cancellation pass through unchanged.
  ///
  /// - Parameter count: The number of values to drop. A negative number stops the program with a message.
  @inlinable
  public __consuming func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/dropFirst(_:)`` returns.
  @frozen
  public struct Drop<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let count: Int

    @inlinable
    public init(upstream: Upstream, count: Int) {
      requireNotNegative(count, in: "dropFirst(_:)", "a count")
      self.upstream = upstream
      self.count = count
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropStage(count), subscriber))
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct DropStage<Input>: Stage {
  @usableFromInline static var name: String { "dropFirst" }

  @usableFromInline var remaining: Int

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  init(_ count: Int) { remaining = count }

  @inlinable
  var ownDemand: Subscribers.Demand { .max(remaining) }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    if remaining == 0 { return .emit(input) }
    remaining &-= 1
    return .consume
  }
}

extension Publishers.Drop: Sendable where Upstream: Sendable {}
