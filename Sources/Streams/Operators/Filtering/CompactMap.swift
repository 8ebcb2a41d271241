extension Publisher {
  /// Turns every value into another and passes on those that are not `nil`.
  ///
  ///     ["1", "x"].publisher.compactMap { Int($0) }   // 1
  ///
  /// ![Marble diagram of compactMap](diagram-compactMap)
  ///
  /// A value that becomes `nil` gives its demand back. Cancellation and completion pass through.
  @inlinable
  public __consuming func compactMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T?
  ) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }

  /// Turns every value into another and passes on those that are not `nil`; an error that the closure throws cancels
  /// upstream and ends the stream.
  ///
  /// ![Marble diagram of tryCompactMap](diagram-tryCompactMap)
  @inlinable
  public __consuming func tryCompactMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: isolation.checking(transform, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `compactMap(_:)`.
  @frozen
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What turns a value into another.
    public let transform: (Upstream.Output) -> Output?

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(CompactMapSubscriber(subscriber, transform))
    }
  }

  /// The publisher of `tryCompactMap(_:)`.
  @frozen
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What turns a value into another.
    public let transform: (Upstream.Output) throws -> Output?

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryCompactMapStage(transform), subscriber))
    }
  }
}

extension Publishers.CompactMap {
  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func compactMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T?
  ) -> Publishers.CompactMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func map<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) -> T
  ) -> Publishers.CompactMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

extension Publishers.TryCompactMap {
  /// Turns every value into another, in one step with the one before.
  @inlinable
  public func compactMap<T>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ transform: @escaping (Output) throws -> T?
  ) -> Publishers.TryCompactMap<Upstream, T> {
    let transform = isolation.checking(transform, fileID, filePath, line, column)
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
  }
}

@usableFromInline @frozen
struct CompactMapSubscriber<Input, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input?

  @inlinable
  init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = transform(input) else { return .max(1) }
    return downstream.receive(output)
  }
}

@usableFromInline @frozen
struct TryCompactMapStage<Input, Output>: Stage {
  @usableFromInline let transform: (Input) throws -> Output?

  @inlinable
  init(_ transform: @escaping (Input) throws -> Output?) { self.transform = transform }

  @inlinable
  func receive(_ input: Input) throws -> Verdict<Output> { try transform(input).map { .emit($0) } ?? .skip }
}
