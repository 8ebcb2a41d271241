extension Publisher {
  /// Passes on, for every value, what the closure makes of it and of the result before.
  ///
  ///     [1, 2, 3].publisher.scan(0) { $0 + $1 }   // 1 3 6
  ///
  /// ![Marble diagram of scan](diagram-scan)
  ///
  /// Demand, cancellation and completion pass through.
  @inlinable
  public __consuming func scan<T>(
    _ initialResult: T,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(
      upstream: self, initialResult: initialResult,
      nextPartialResult: isolation.checking(nextPartialResult, fileID, filePath, line, column))
  }

  /// Passes on, for every value, what the closure makes of it and of the result before; an error that it throws cancels
  /// upstream and ends the stream.
  ///
  /// ![Marble diagram of tryScan](diagram-tryScan)
  @inlinable
  public __consuming func tryScan<T>(
    _ initialResult: T,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(
      upstream: self, initialResult: initialResult,
      nextPartialResult: isolation.checking(nextPartialResult, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `scan(_:_:)`.
  @frozen
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// The result before the first value.
    public let initialResult: Output

    /// What makes the next result.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Makes the publisher.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(ScanStage(initialResult, nextPartialResult), subscriber))
    }
  }

  /// The publisher of `tryScan(_:_:)`.
  @frozen
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// The result before the first value.
    public let initialResult: Output

    /// What makes the next result.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Makes the publisher.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(ScanStage(initialResult, nextPartialResult), subscriber))
    }
  }
}

@usableFromInline @frozen
struct ScanStage<Input, Output, Thrown: Error>: Stage {
  @usableFromInline var result: Output
  @usableFromInline let next: (Output, Input) throws(Thrown) -> Output

  @inlinable
  init(_ result: Output, _ next: @escaping (Output, Input) throws(Thrown) -> Output) {
    self.result = result
    self.next = next
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Output> {
    result = try next(result, input)
    return .emit(result)
  }
}
