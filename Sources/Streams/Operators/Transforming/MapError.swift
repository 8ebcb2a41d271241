extension Publisher {
  /// Turns the error that a stream fails with into another.
  ///
  /// ![Marble diagram of mapError](diagram-mapError)
  ///
  /// Values, demand and cancellation pass through.
  @inlinable
  public __consuming func mapError<E: Error>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Failure) -> E
  ) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publisher where Failure == Never {
  /// Gives a publisher that cannot fail a kind of errors, so that it fits beside one that can.
  ///
  /// ![Marble diagram of setFailureType](diagram-setFailureType)
  @inlinable
  public __consuming func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

extension Publishers {
  /// The publisher of `mapError(_:)`.
  @frozen
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What turns an error into another.
    public let transform: (Upstream.Failure) -> Failure

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(MapErrorSubscriber(subscriber, transform))
    }
  }

  /// The publisher of ``Publisher/setFailureType(to:)``.
  @frozen
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

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
      upstream.subscribe(MapErrorSubscriber<Never, _>(subscriber, converted))
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publishers.SetFailureType {
  /// Changes the kind of errors again, in one step.
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

extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}
