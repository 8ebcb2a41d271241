extension Publisher {
  /// Publishes each value with its offset, counted from 0.
  ///
  ///     ["a", "b"].publisher.enumerated()   // (offset: 0, element: "a") (offset: 1, element: "b")
  ///
  /// ![The source publishes a and b and finishes; the result publishes 0 a and 1 b and finishes.](diagram-enumerated)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged, and values are delivered on upstream's
  /// thread.
  ///
  /// - Returns: A publisher of pairs of an offset and a value.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func enumerated() -> ExtendedPublishers.Enumerated<Self> {
    ExtendedPublishers.Enumerated(upstream: self)
  }
}

extension ExtendedPublishers {
  /// The publisher of ``Publisher/enumerated()``.
  @frozen
  public struct Enumerated<Upstream: Publisher>: Publisher {
    /// The type of the values that this publisher sends.
    public typealias Output = (offset: Int, element: Upstream.Output)

    /// The type of the errors with which this publisher may fail.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are numbered.
    public let upstream: Upstream

    /// Creates the publisher.
    ///
    /// - Parameter upstream: The publisher whose values are numbered.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(EnumeratedStage<Upstream.Output>(), subscriber))
    }
  }
}

extension ExtendedPublishers.Enumerated: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct EnumeratedStage<Input>: Stage {
  @usableFromInline var count = 0

  @inlinable
  init() {}

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<(offset: Int, element: Input)> {
    defer { count &+= 1 }
    return .emit((count, input))
  }
}

extension ExtendedPublishers.Enumerated: Sendable where Upstream: Sendable {}
