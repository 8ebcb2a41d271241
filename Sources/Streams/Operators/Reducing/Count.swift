extension Publisher {
  /// Publishes the number of values when upstream finishes.
  ///
  ///     ["a", "b"].publisher.count()   // 2
  ///
  /// ![The source publishes a and b and finishes; the result publishes 2 and finishes.](diagram-count)
  ///
  /// The operator requests unlimited demand from upstream. The count waits for demand. A failure discards the count and passes
  /// through immediately. Cancellation passes through unchanged.
  @inlinable
  public __consuming func count() -> Publishers.Count<Self> { Publishers.Count(upstream: self) }
}

extension Publishers {
  /// The publisher that ``Publisher/count()`` returns.
  @frozen
  public struct Count<Upstream: Publisher>: Publisher {
    public typealias Output = Int
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(CountReduction(), subscriber))
    }
  }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct CountReduction<Input>: Reduction {
  @usableFromInline static var name: String { "count" }

  @usableFromInline var count = 0

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Bool {
    count &+= 1
    return false
  }

  @inlinable
  func result() -> Int? { count }
}

extension Publishers.Count: Sendable where Upstream: Sendable {}
