extension Publisher where Output: Equatable {
  /// Publishes whether upstream publishes a given value.
  ///
  ///     (1...).publisher.contains(3)   // true
  ///
  /// ![The source publishes 1, 2 and 3 and is cancelled; the result publishes true and finishes.](diagram-contains)
  ///
  /// The operator requests unlimited demand from upstream. As soon as the value arrives, the operator publishes `true` and
  /// cancels upstream. If upstream finishes first, it publishes `false`. The result waits for demand. A failure before the result
  /// is known passes through immediately. Cancellation passes through unchanged.
  ///
  /// - Parameter output: The value to look for.
  @inlinable
  public __consuming func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {
  /// Publishes whether upstream publishes a value that satisfies a predicate.
  ///
  /// It's otherwise like ``contains(_:)``.
  ///
  ///     [1, 2].publisher.contains { $0 > 2 }   // false
  ///
  /// ![The source publishes 1, 2 and 3 and finishes; the result publishes false and finishes.](diagram-contains-where)
  ///
  /// - Parameter predicate: A closure that returns whether a value matches.
  @inlinable
  public __consuming func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Publishes whether upstream publishes a value that satisfies a throwing predicate.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result fails.](diagram-tryContains)
  ///
  /// It's like ``contains(where:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryContains(
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/contains(_:)`` returns.
  @frozen
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let output: Upstream.Output

    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ContainsReduction(output), subscriber))
    }
  }

  /// The publisher that `contains(where:)` returns.
  @frozen
  public struct ContainsWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(predicate), subscriber))
    }
  }

  /// The publisher that `tryContains(where:)` returns.
  @frozen
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(predicate), subscriber))
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct ContainsReduction<Input: Equatable>: Reduction {
  @usableFromInline static var name: String { "contains" }

  @usableFromInline let output: Input
  @usableFromInline var isFound = false

  @inlinable
  init(_ output: Input) { self.output = output }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Bool {
    isFound = input == output
    return isFound
  }

  @inlinable
  func result() -> Bool? { isFound }
}

/// Looks for a value that satisfies a predicate.
@usableFromInline @frozen
struct SearchReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "contains(where:)" : "tryContains(where:)" }

  @usableFromInline let predicate: (Input) throws(Thrown) -> Bool
  @usableFromInline var isFound = false

  @inlinable
  init(_ predicate: @escaping (Input) throws(Thrown) -> Bool) {
    self.predicate = predicate
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    isFound = try predicate(input)
    return isFound
  }

  @inlinable
  func result() -> Bool? { isFound }
}

extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
