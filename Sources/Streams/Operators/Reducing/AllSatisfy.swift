extension Publisher {
  /// Publishes whether all values satisfy a predicate.
  ///
  ///     (1...).publisher.allSatisfy { $0 < 3 }   // false
  ///
  /// ![The source publishes 1, 2 and 3 and is cancelled; the result publishes false and finishes.](diagram-allSatisfy)
  ///
  /// The operator requests unlimited demand from upstream. As soon as a value doesn't satisfy the predicate, the operator
  /// publishes `false` and cancels upstream. If upstream finishes first, even without a value, it publishes `true`. The result
  /// waits for demand. A failure before the result is known passes through immediately. Cancellation passes through unchanged.
  ///
  /// - Parameter predicate: A closure that returns whether a value satisfies the condition.
  @inlinable
  public __consuming func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }

  /// Publishes whether all values satisfy a throwing predicate.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryAllSatisfy)
  ///
  /// It's like ``allSatisfy(_:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryAllSatisfy(
    _ predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that `allSatisfy(_:)` returns.
  @frozen
  public struct AllSatisfy<Upstream: Publisher>: Publisher {
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let predicate: (Upstream.Output) -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(AllSatisfyReduction(predicate), subscriber))
    }
  }

  /// The publisher that `tryAllSatisfy(_:)` returns.
  @frozen
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
    public typealias Output = Bool
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(AllSatisfyReduction(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct AllSatisfyReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "allSatisfy" : "tryAllSatisfy" }

  @usableFromInline let predicate: (Input) throws(Thrown) -> Bool
  @usableFromInline var areSatisfied = true

  @inlinable
  init(_ predicate: @escaping (Input) throws(Thrown) -> Bool) { self.predicate = predicate }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    areSatisfied = try predicate(input)
    return !areSatisfied
  }

  @inlinable
  func result() -> Bool? { areSatisfied }
}
