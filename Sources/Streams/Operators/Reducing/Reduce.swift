extension Publisher {
  /// Combines all values with a closure and publishes the final result when upstream finishes.
  ///
  ///     [1, 2, 3].publisher.reduce(0) { $0 + $1 }   // 6
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 6 and finishes.](diagram-reduce)
  ///
  /// The operator requests unlimited demand from upstream. The result, which is `initialResult` if upstream doesn't publish a
  /// value, waits until downstream requests it. A failure discards the result and passes through immediately. Cancellation
  /// passes through unchanged.
  ///
  /// - Parameters:
  ///   - initialResult: The result that the closure receives with the first value.
  ///   - nextPartialResult: A closure that returns the next result from the previous one and a value.
  @inlinable
  public __consuming func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Combines all values with a throwing closure and publishes the final result when upstream finishes.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryReduce)
  ///
  /// It's like ``reduce(_:_:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryReduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryReduce<Self, T> {
    Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
  }
}

extension Publishers {
  /// The publisher that `reduce(_:_:)` returns.
  @frozen
  public struct Reduce<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let initial: Output
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    @inlinable
    public init(upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ReduceReduction(initial, nextPartialResult), subscriber))
    }
  }

  /// The publisher that `tryReduce(_:_:)` returns.
  @frozen
  public struct TryReduce<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let initial: Output
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    @inlinable
    public init(
      upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ReduceReduction(initial, nextPartialResult), subscriber))
    }
  }
}

@usableFromInline @frozen
struct ReduceReduction<Input, Output, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "reduce" : "tryReduce" }

  @usableFromInline var partialResult: Output
  @usableFromInline let next: (Output, Input) throws(Thrown) -> Output

  @inlinable
  init(_ initial: Output, _ next: @escaping (Output, Input) throws(Thrown) -> Output) {
    partialResult = initial
    self.next = next
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    partialResult = try next(partialResult, input)
    return false
  }

  @inlinable
  func result() -> Output? { partialResult }
}
