extension Publisher {
  /// Publishes the last value when upstream finishes.
  ///
  ///     [1, 2].publisher.last()   // 2
  ///
  /// ![The source publishes 1 and 2 and finishes; the result publishes 2 and finishes.](diagram-last)
  ///
  /// The operator requests unlimited demand from upstream and stores one value until downstream requests it. If upstream finishes
  /// without a value, this publisher finishes too, without waiting for demand. A failure discards the value and passes through
  /// immediately. Cancellation passes through unchanged.
  @inlinable
  public __consuming func last() -> Publishers.Last<Self> { Publishers.Last(upstream: self) }

  /// Publishes the last value that satisfies a predicate, once upstream has finished.
  ///
  /// It's otherwise like ``last()``.
  ///
  ///     [1, 2, 3].publisher.last { $0 < 3 }   // 2
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes 2 and finishes.](diagram-last-where)
  ///
  /// - Parameter predicate: A closure that returns whether a value matches.
  @inlinable
  public __consuming func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the last value that satisfies a throwing predicate, once upstream has finished.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryLast)
  ///
  /// It's like ``last(where:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/last()`` returns.
  @frozen
  public struct Last<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction { (_: Output) in true }, subscriber))
    }
  }

  /// The publisher that `last(where:)` returns.
  @frozen
  public struct LastWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction(predicate), subscriber))
    }
  }

  /// The publisher that `tryLast(where:)` returns.
  @frozen
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction(predicate), subscriber))
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct LastReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "last" : "tryLast(where:)" }

  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool
  @usableFromInline var last: Input?
  @usableFromInline var keptContext: ContextSnapshot?

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    if try isWanted(input) {
      last = input
      if RuntimeFeatures.isAny { keptContext = .captured(like: keptContext) }
    }
    return false
  }

  @inlinable
  var hasResult: Bool { last != nil }

  @inlinable
  func result() -> Input? { last }
}

extension Publishers.Last: Sendable where Upstream: Sendable {}
