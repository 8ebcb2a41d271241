extension Publisher {
  /// Combines each value with the previous result and publishes every intermediate result.
  ///
  ///     [1, 2, 3].publisher.scan(0) { $0 + $1 }   // 1 3 6
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 1, 3 and 6 and finishes.](diagram-scan)
  ///
  /// Demand, completion and cancellation pass through unchanged.
  ///
  /// - Parameters:
  ///   - initialResult: The result that the closure receives with the first value. It isn't published itself.
  ///   - nextPartialResult: A closure that returns the next result from the previous one and a value.
  @inlinable
  public __consuming func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Combines each value with the previous result using a throwing closure, and publishes every intermediate result.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result publishes 1 and 3 and fails.](diagram-tryScan)
  ///
  /// It's like ``scan(_:_:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryScan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {
  /// The publisher that `scan(_:_:)` returns.
  @frozen
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let initialResult: Output
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(ScanStage(initialResult, nextPartialResult), subscriber))
    }
  }

  /// The publisher that `tryScan(_:_:)` returns.
  @frozen
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let initialResult: Output
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Upstream.Failure, _>(ScanStage(initialResult, nextPartialResult), subscriber))
    }
  }
}

@usableFromInline @frozen
struct ScanStage<Input, Output, Thrown: Error>: Stage {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "scan" : "tryScan" }

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
