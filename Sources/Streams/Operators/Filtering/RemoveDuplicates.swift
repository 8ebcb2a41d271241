extension Publisher where Output: Equatable {
  /// Drops each value that equals the last one published.
  ///
  ///     [1, 1, 2, 1].publisher.removeDuplicates()   // 1 2 1
  ///
  /// ![The source publishes 1, 1, 2 and 1 and finishes; the result publishes 1, 2 and 1 and finishes.](diagram-removeDuplicates)
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. Completion and cancellation pass
  /// through unchanged.
  @inlinable
  public __consuming func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}

extension Publisher {
  /// Drops each value that a predicate considers equal to the last one published.
  ///
  /// It's otherwise like ``removeDuplicates()``.
  ///
  ///     ["a", "A", "b"].publisher.removeDuplicates { $0.lowercased() == $1.lowercased() }   // a b
  ///
  /// - Parameter predicate: A closure that returns whether the last published value and a new one are equal.
  @inlinable
  public __consuming func removeDuplicates(
    by predicate: @escaping (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Drops each value that a throwing predicate considers equal to the last one published.
  ///
  /// ![The source publishes 1, 1, 2 and x and is cancelled; the result publishes 1 and 2 and fails.](diagram-tryRemoveDuplicates)
  ///
  /// It's like ``removeDuplicates(by:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that `removeDuplicates(by:)` returns.
  @frozen
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(RemoveDuplicatesStage(predicate), subscriber))
    }
  }

  /// The publisher that `tryRemoveDuplicates(by:)` returns.
  @frozen
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(RemoveDuplicatesStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct RemoveDuplicatesStage<Input, Thrown: Error>: Stage {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "removeDuplicates" : "tryRemoveDuplicates" }

  @usableFromInline var last: Input?
  @usableFromInline let isSame: (Input, Input) throws(Thrown) -> Bool

  @inlinable
  init(_ isSame: @escaping (Input, Input) throws(Thrown) -> Bool) { self.isSame = isSame }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Input> {
    if let last, try isSame(last, input) { return .skip }
    last = input
    return .emit(input)
  }
}
