extension Publisher {
  /// Turns every value into another.
  ///
  ///     [1, 2].publisher.map { $0 * 10 }   // 10 20
  ///
  /// ![Marble diagram of map](diagram-map)
  ///
  /// Demand, cancellation and completion pass through. Costs the closure and nothing else.
  @inlinable
  public __consuming func map<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }

  /// Turns every value into another; an error that the closure throws cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of tryMap](diagram-tryMap)
  @inlinable
  public __consuming func tryMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `map(_:)`.
  @frozen
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are turned into others.
    public let upstream: Upstream

    /// What turns a value into another.
    public let transform: (Upstream.Output) -> Output

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(MapSubscriber(subscriber, transform))
    }
  }

  /// The publisher of `tryMap(_:)`.
  @frozen
  public struct TryMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher whose values are turned into others.
    public let upstream: Upstream

    /// What turns a value into another.
    public let transform: (Upstream.Output) throws -> Output

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryMapStage(transform), subscriber))
    }
  }
}

extension Publishers.Map {
  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func map<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T
  ) -> Publishers.Map<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }

  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func tryMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

extension Publishers.TryMap {
  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func map<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T
  ) -> Publishers.TryMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    return tryMap(transform)
  }

  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func tryMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
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

@usableFromInline @frozen
struct TryMapStage<Input, Output>: Stage {
  @usableFromInline let transform: (Input) throws -> Output

  @inlinable
  init(_ transform: @escaping (Input) throws -> Output) { self.transform = transform }

  @inlinable
  func receive(_ input: Input) throws -> Verdict<Output> { .emit(try transform(input)) }
}
