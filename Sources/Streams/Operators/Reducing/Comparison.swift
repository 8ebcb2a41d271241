extension Publisher where Output: Comparable {
  /// Publishes the maximum value, or the first of several equal ones, when upstream finishes.
  ///
  ///     [1, 3, 2].publisher.max()   // 3
  ///
  /// ![The source publishes 1, 3 and 2 and finishes; the result publishes 3 and finishes.](diagram-max)
  ///
  /// The operator requests unlimited demand from upstream and stores one value until downstream requests it. If upstream finishes
  /// without publishing a value, this publisher finishes too, without waiting for demand. A failure discards the value and passes
  /// through immediately. Cancellation passes through unchanged.
  @inlinable
  public __consuming func max() -> Publishers.Comparison<Self> { max(by: <) }

  /// Publishes the minimum value when upstream finishes.
  ///
  /// It's otherwise like ``max()``.
  ///
  ///     [2, 1, 3].publisher.min()   // 1
  ///
  /// ![The source publishes 2, 1 and 3 and finishes; the result publishes 1 and finishes.](diagram-min)
  @inlinable
  public __consuming func min() -> Publishers.Comparison<Self> { min(by: <) }
}

extension Publisher {
  /// Publishes the maximum value, as ordered by a predicate, when upstream finishes.
  ///
  /// It's otherwise like ``max()``.
  ///
  ///     ["ape", "zebra"].publisher.max { $0.count < $1.count }   // zebra
  ///
  /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument is ordered before its second.
  @inlinable
  public __consuming func max(
    by areInIncreasingOrder: @escaping (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Publishes the maximum value, as ordered by a throwing predicate, when upstream finishes.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryMax)
  ///
  /// It's like ``max(by:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryMax(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
  }

  /// Publishes the minimum value, as ordered by a predicate, when upstream finishes.
  ///
  /// It's otherwise like ``max(by:)``.
  ///
  ///     ["ape", "zebra"].publisher.min { $0.count < $1.count }   // ape
  @inlinable
  public __consuming func min(
    by areInIncreasingOrder: @escaping (Output, Output) -> Bool
  ) -> Publishers.Comparison<Self> {
    Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
  }

  /// Publishes the minimum value, as ordered by a throwing predicate, when upstream finishes.
  ///
  /// ![The source publishes 2, 1 and x and is cancelled; the result fails.](diagram-tryMin)
  ///
  /// It's like ``min(by:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryMin(
    by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryComparison<Self> {
    Publishers.TryComparison(upstream: self) { try areInIncreasingOrder($1, $0) }
  }
}

extension Publishers {
  /// The publisher that `max(by:)` and, with the order reversed, `min(by:)` return.
  @frozen
  public struct Comparison<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) -> Bool

    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ComparisonReduction(areInIncreasingOrder), subscriber))
    }
  }

  /// The publisher that `tryMax(by:)` and, with the order reversed, `tryMin(by:)` return.
  @frozen
  public struct TryComparison<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let areInIncreasingOrder: (Upstream.Output, Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, areInIncreasingOrder: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ComparisonReduction(areInIncreasingOrder), subscriber))
    }
  }
}

@usableFromInline @frozen
struct ComparisonReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "min or max" : "tryMin or tryMax" }

  @usableFromInline var greatest: Input?
  @usableFromInline let areInIncreasingOrder: (Input, Input) throws(Thrown) -> Bool

  @inlinable
  init(_ areInIncreasingOrder: @escaping (Input, Input) throws(Thrown) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    if let greatest, try !areInIncreasingOrder(greatest, input) { return false }
    greatest = input
    return false
  }

  @inlinable
  var hasResult: Bool { greatest != nil }

  @inlinable
  func result() -> Input? { greatest }
}
