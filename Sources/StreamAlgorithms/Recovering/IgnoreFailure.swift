public import Streams

extension Publisher {
  /// Replaces a failure with a normal completion, or ignores it.
  ///
  ///     load().ignoreFailure()
  ///
  /// ![The source publishes a and b and fails; the result publishes a and b and finishes.](diagram-ignoreFailure)
  ///
  /// Values, demand and cancellation pass through unchanged. With `completeImmediately: false`, a failure is ignored: the
  /// stream doesn't send anything more and never ends.
  ///
  /// - Parameter completeImmediately: `true` to finish when upstream fails, `false` to ignore the failure altogether.
  @inlinable @_disfavoredOverload
  public __consuming func ignoreFailure(completeImmediately: Bool = true) -> IgnoreFailurePublisher<Self> {
    IgnoreFailurePublisher(upstream: self, completeImmediately: completeImmediately)
  }

  /// Publishes each value as a result, and a failure as the last result before finishing.
  ///
  ///     load().mapToResult().sink { show($0) }
  ///
  /// ![The source publishes a and b and fails; the result publishes a, b and failure and finishes.](diagram-mapToResult)
  ///
  /// Like a value, the result that represents a failure waits until downstream requests it. Unlike ``materialize()``, this
  /// operator doesn't publish a normal completion as a value. Demand and cancellation pass through unchanged, and results are
  /// delivered on upstream's thread or, if a failure had to wait, on the thread that requests it.
  @inlinable @_disfavoredOverload
  public __consuming func mapToResult()
    -> Publishers.Catch<Publishers.Map<Self, Result<Output, Failure>>, Just<Result<Output, Failure>>>
  {
    Publishers.Catch(
      upstream: Publishers.Map(upstream: self, transform: { .success($0) }), handler: { Just(.failure($0)) })
  }
}

/// The publisher that ``Streams/Publisher/ignoreFailure(completeImmediately:)`` returns.
@frozen
public struct IgnoreFailurePublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Never

  @usableFromInline let upstream: Upstream
  @usableFromInline let completeImmediately: Bool

  @inlinable
  init(upstream: Upstream, completeImmediately: Bool = true) {
    self.upstream = upstream
    self.completeImmediately = completeImmediately
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    upstream.subscribe(IgnoreFailureSubscriber<Upstream.Failure, S>(subscriber, completeImmediately))
  }
}

extension IgnoreFailurePublisher: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct IgnoreFailureSubscriber<Failure: Error, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline let downstream: Downstream
  @usableFromInline let completeImmediately: Bool

  @inlinable
  init(_ downstream: Downstream, _ completeImmediately: Bool) {
    self.downstream = downstream
    self.completeImmediately = completeImmediately
  }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if case .failure = completion, !completeImmediately { return }
    downstream.receive(completion: .finished)
  }
}

extension IgnoreFailureSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("ignoreFailure", to: Downstream.self) }
}

extension IgnoreFailurePublisher: Sendable where Upstream: Sendable {}
