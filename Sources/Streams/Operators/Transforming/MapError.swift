extension Publisher {
  /// Transforms the upstream error with a closure.
  ///
  ///     load().mapError { _ in SearchError.offline }
  ///
  /// ![The source publishes a and b and fails; the result publishes a and b and fails.](diagram-mapError)
  ///
  /// Values, normal completion, demand and cancellation pass through unchanged.
  ///
  /// - Parameter transform: A closure that takes the upstream error and returns the error to fail with.
  @inlinable
  public __consuming func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Gives a failure type to a publisher that can't fail, so that you can combine it with publishers that can.
  ///
  ///     numbers.setFailureType(to: LoadError.self).append(ids)
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes a, b and c and finishes.](diagram-setFailureType)
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameter failureType: The failure type of the resulting publisher, which still can't fail.
  @inlinable
  public __consuming func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

extension Publishers {
  /// The publisher that `mapError(_:)` returns.
  @frozen
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    public let transform: (Upstream.Failure) -> Failure

    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Creates the publisher, for code that leaves out the closure's label.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - map: The closure that transforms the error.
    @inlinable
    @_disfavoredOverload  // So that a trailing closure is not ambiguous.
    public init(upstream: Upstream, _ map: @escaping (Upstream.Failure) -> Failure) {
      self.init(upstream: upstream, transform: map)
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(MapErrorSubscriber(subscriber, transform))
    }
  }

  /// The publisher that ``Publisher/setFailureType(to:)`` returns.
  @frozen
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {
    public typealias Output = Upstream.Output

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(SetFailureTypeSubscriber(subscriber))
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publishers.SetFailureType {
  /// Replaces the failure type without adding another operator.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Upstream, E> {
    upstream.setFailureType(to: failureType)
  }
}

@usableFromInline @frozen
struct MapErrorSubscriber<Failure: Error, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Failure) -> Downstream.Failure

  @inlinable
  init(_ downstream: Downstream, _ transform: @escaping (Failure) -> Downstream.Failure) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion.mapError(transform))
  }
}

extension MapErrorSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("mapError", to: Downstream.self) }
}

@usableFromInline @frozen
struct SetFailureTypeSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Never
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Never>) { downstream.receive(completion: .finished) }
}

extension SetFailureTypeSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("setFailureType", to: Downstream.self) }
}

extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}
