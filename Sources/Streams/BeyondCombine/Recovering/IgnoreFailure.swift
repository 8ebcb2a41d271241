extension Publisher {
  /// Replaces a failure with a normal completion.
  ///
  ///     load().ignoreFailure()
  ///
  /// ![The source publishes a and b and fails; the result publishes a and b and finishes.](diagram-ignoreFailure)
  ///
  /// Values, demand and cancellation pass through unchanged.
  ///
  /// - Returns: A publisher that finishes when upstream finishes or fails.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func ignoreFailure() -> ExtendedPublishers.IgnoreFailure<Self> {
    ExtendedPublishers.IgnoreFailure(upstream: self)
  }

  /// Publishes each value as a result, and a failure as a last result, after which it finishes.
  ///
  ///     load().mapToResult().sink { show($0) }
  ///
  /// ![The source publishes a and b and fails; the result publishes a, b and failure and finishes.](diagram-mapToResult)
  ///
  /// The result of a failure needs demand like a value, and waits for it. Unlike ``materialize()``, a normal completion
  /// is not published as a value. Demand and cancellation pass through unchanged, and results are delivered on
  /// upstream's thread.
  ///
  /// - Returns: A publisher of results that never fails.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func mapToResult()
    -> Publishers.Catch<Publishers.Map<Self, Result<Output, Failure>>, Just<Result<Output, Failure>>>
  {
    Publishers.Catch(
      upstream: Publishers.Map(upstream: self, transform: { .success($0) }), handler: { Just(.failure($0)) })
  }
}

extension ExtendedPublishers {
  /// The publisher of ``Publisher/ignoreFailure()``.
  @frozen
  public struct IgnoreFailure<Upstream: Publisher>: Publisher {
    /// The type of the values that this publisher sends.
    public typealias Output = Upstream.Output

    /// This publisher cannot fail.
    public typealias Failure = Never

    /// The publisher whose failure is replaced.
    public let upstream: Upstream

    /// Creates the publisher.
    ///
    /// - Parameter upstream: The publisher whose failure is replaced.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribe(IgnoreFailureSubscriber<Upstream.Failure, S>(subscriber))
    }
  }
}

extension ExtendedPublishers.IgnoreFailure: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct IgnoreFailureSubscriber<Failure: Error, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: .finished) }
}

extension ExtendedPublishers.IgnoreFailure: Sendable where Upstream: Sendable {}
