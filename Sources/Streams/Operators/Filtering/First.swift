extension Publisher {
  /// Publishes the first value and then finishes.
  ///
  ///     [1, 2].publisher.first()   // 1
  ///
  /// ![The source publishes 1 and is cancelled; the result publishes 1 and finishes.](diagram-first)
  ///
  /// The operator requests unlimited demand from upstream on subscription, and cancels upstream as soon as a value arrives. The
  /// value waits for demand. If upstream finishes without a value, this publisher finishes too. Failure and cancellation pass
  /// through unchanged.
  @inlinable
  public __consuming func first() -> Publishers.First<Self> { Publishers.First(upstream: self) }

  /// Publishes the first value that satisfies a predicate, then finishes.
  ///
  /// It's otherwise like ``first()``.
  ///
  ///     [1, 2].publisher.first { $0 > 1 }   // 2
  ///
  /// ![The source publishes 1 and 2 and is cancelled; the result publishes 2 and finishes.](diagram-first-where)
  ///
  /// - Parameter predicate: A closure that returns whether a value matches.
  @inlinable
  public __consuming func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the first value that satisfies a throwing predicate, then finishes.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryFirst)
  ///
  /// It's like ``first(where:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryFirst(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/first()`` returns.
  @frozen
  public struct First<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(FirstReduction { (_: Output) in true }, subscriber))
    }
  }

  /// The publisher that `first(where:)` returns.
  @frozen
  public struct FirstWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(FirstReduction(predicate), subscriber))
    }
  }

  /// The publisher that `tryFirst(where:)` returns.
  @frozen
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(FirstReduction(predicate), subscriber))
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct FirstReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "first" : "tryFirst(where:)" }

  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool
  @usableFromInline var first: Input?

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    guard try isWanted(input) else { return false }
    first = input
    return true
  }

  @inlinable
  var hasResult: Bool { first != nil }

  @inlinable
  func result() -> Input? { first }
}

extension Publishers.First: Sendable where Upstream: Sendable {}
