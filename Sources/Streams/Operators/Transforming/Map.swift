extension Publisher {
  /// Transforms each value with a closure.
  ///
  ///     [1, 2].publisher.map { $0 * 10 }   // 10 20
  ///
  /// ![The source publishes 1 and 2 and finishes; the result publishes 10 and 20 and finishes.](diagram-map)
  ///
  /// Demand, completion and cancellation pass through unchanged. The operator's only overhead is the call to the closure. If
  /// your closure awaits, use `map(maxTasks:)`. If it throws, use ``tryMap(_:)``.
  ///
  /// - Parameter transform: A closure that returns the value to publish in place of the given one.
  @inlinable
  public __consuming func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }

  /// Transforms each value with a throwing closure.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result publishes 10 and 20 and fails.](diagram-tryMap)
  ///
  /// It's like ``map(_:)->Publishers.Map<Self,T>``, but a thrown error cancels upstream and becomes the failure. The failure type
  /// is `any Error`, even with typed throws, as in Combine. To make it specific again, add `mapError`.
  @inlinable
  public __consuming func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// The publisher that `map(_:)` returns.
  @frozen
  public struct Map<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let transform: (Upstream.Output) -> Output

    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(MapSubscriber(subscriber, transform))
    }
  }

  /// The publisher that `tryMap(_:)` returns.
  @frozen
  public struct TryMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let transform: (Upstream.Output) throws -> Output

    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryMapStage(transform), subscriber))
    }
  }
}

// Disfavored, like every overload that combines two operators in one. This way, the compiler doesn't try both overloads at each
// step of a chain unless something requires these types. Trying both would take time that's exponential in the chain's length.
extension Publishers.Map {
  /// Adds a closure that transforms this operator's results.
  @inlinable @_disfavoredOverload
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Upstream, T> {
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }

  /// Adds a throwing closure that transforms this operator's results.
  @inlinable @_disfavoredOverload
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

extension Publishers.TryMap {
  /// Adds a closure that transforms this operator's results.
  @inlinable @_disfavoredOverload
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.TryMap<Upstream, T> {
    tryMap(transform)
  }

  /// Adds a closure that transforms this operator's results.
  @inlinable @_disfavoredOverload
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

@usableFromInline @frozen
struct MapSubscriber<Input, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(transform(input)) }
}

extension MapSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("map", to: Downstream.self) }
}

@usableFromInline @frozen
struct TryMapStage<Input, Output>: Stage {
  @usableFromInline static var name: String { "tryMap" }

  @usableFromInline let transform: (Input) throws -> Output

  @inlinable
  init(_ transform: @escaping (Input) throws -> Output) { self.transform = transform }

  @inlinable
  func receive(_ input: Input) throws -> Verdict<Output> { .emit(try transform(input)) }
}
