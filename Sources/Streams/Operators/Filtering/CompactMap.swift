extension Publisher {
  /// Transforms each value with a closure and publishes the results that aren't `nil`.
  ///
  ///     ["1", "x"].publisher.compactMap { Int($0) }   // 1
  ///
  /// ![The source publishes 1 and x and finishes; the result publishes 1 and finishes.](diagram-compactMap)
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. Completion and cancellation pass
  /// through unchanged.
  ///
  /// - Parameter transform: A closure that returns the value to publish in place of the given one, or `nil` to drop it.
  @inlinable
  public __consuming func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Transforms each value with a throwing closure and publishes the results that aren't `nil`.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result publishes 1 and fails.](diagram-tryCompactMap)
  ///
  /// It's like ``compactMap(_:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryCompactMap<T>(
    _ transform: @escaping (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// The publisher that `compactMap(_:)` returns.
  @frozen
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let transform: (Upstream.Output) -> Output?

    @usableFromInline let name: OperatorName?

    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.init(upstream, transform, as: nil)
    }

    @inlinable
    package init(_ upstream: Upstream, _ transform: @escaping (Upstream.Output) -> Output?, as name: OperatorName?) {
      self.upstream = upstream
      self.transform = transform
      self.name = name
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(CompactMapSubscriber(subscriber, transform, name))
    }
  }

  /// The publisher that `tryCompactMap(_:)` returns.
  @frozen
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let transform: (Upstream.Output) throws -> Output?

    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryCompactMapStage(transform), subscriber))
    }
  }
}

// Disfavored, like every overload that combines two operators in one. This way, the compiler doesn't try both overloads at each
// step of a chain unless something requires these types. Trying both would take time that's exponential in the chain's length.
extension Publishers.CompactMap {
  /// Adds a closure that transforms this operator's results, or drops them by returning `nil`.
  @inlinable @_disfavoredOverload
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Adds a closure that transforms this operator's results.
  @inlinable @_disfavoredOverload
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

extension Publishers.TryCompactMap {
  /// Adds a closure that transforms this operator's results, or drops them by returning `nil`.
  @inlinable @_disfavoredOverload
  public func compactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
  }
}

@usableFromInline @frozen
package struct CompactMapSubscriber<Input, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline package typealias Failure = Downstream.Failure
  @usableFromInline package let downstream: Downstream
  @usableFromInline package let transform: (Input) -> Downstream.Input?
  @usableFromInline package let flow: FlowCounter?

  @inlinable
  package init(
    _ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input?, _ name: OperatorName? = nil
  ) {
    self.downstream = downstream
    (self.transform, flow) =
      RuntimeFeatures.isAny || name != nil ? FlowCounter.counting(transform, name) : (transform, nil)
  }

  @inlinable @inline(__always)
  package func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = transform(input) else { return .max(1) }
    return downstream.receive(output)
  }
}

extension CompactMapSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("compactMap", to: Downstream.self) }
}

@usableFromInline @frozen
package struct TryCompactMapStage<Input, Output>: Stage {
  @usableFromInline package static var name: String { "tryCompactMap" }

  @usableFromInline package let transform: (Input) throws -> Output?

  @inlinable
  package init(_ transform: @escaping (Input) throws -> Output?) { self.transform = transform }

  @inlinable
  package func receive(_ input: Input) throws -> Verdict<Output> { try transform(input).map { .emit($0) } ?? .skip }
}
