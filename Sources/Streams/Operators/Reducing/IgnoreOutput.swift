extension Publisher {
  /// Leaves out all values and passes on only how the stream ends.
  ///
  ///     [1, 2].publisher.ignoreOutput()   // finishes
  ///
  /// ![Marble diagram of ignoreOutput](diagram-ignoreOutput)
  ///
  /// A value gives its demand back. Cancellation and completion pass through.
  @inlinable
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}

extension Publishers {
  /// The publisher of ``Publisher/ignoreOutput()``.
  @frozen
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// This publisher sends no values.
    public typealias Output = Never

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(IgnoreOutputSubscriber<Upstream.Output, _>(subscriber))
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct IgnoreOutputSubscriber<Input, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { .max(1) }
}
