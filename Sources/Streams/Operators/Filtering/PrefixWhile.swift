extension Publisher {
  /// Publishes values until one doesn't satisfy a predicate, then finishes.
  ///
  ///     [1, 2, 3, 1].publisher.prefix { $0 < 3 }   // 1 2
  ///
  /// ![The source publishes 1, 2 and 3 and is cancelled; the result publishes 1 and 2 and finishes.](diagram-prefix-while)
  ///
  /// When the first value arrives that doesn't satisfy the predicate, the operator drops it and cancels upstream. Demand, failure
  /// and cancellation pass through unchanged.
  ///
  /// - Parameter predicate: A closure that returns whether to publish a value.
  @inlinable
  public __consuming func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Publishes values until one doesn't satisfy a throwing predicate, then finishes.
  ///
  /// ![The source publishes 1, 2 and x and is cancelled; the result publishes 1 and 2 and fails.](diagram-tryPrefix)
  ///
  /// It's like ``prefix(while:)``, but a thrown error cancels upstream and becomes the failure.
  @inlinable
  public __consuming func tryPrefix(
    while predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// The publisher that `prefix(while:)` returns.
  @frozen
  public struct PrefixWhile<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PrefixWhileStage(predicate), subscriber))
    }
  }

  /// The publisher that `tryPrefix(while:)` returns.
  @frozen
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PrefixWhileStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct PrefixWhileStage<Input, Thrown: Error>: Stage {
  @usableFromInline static var name: String { Thrown.self == Never.self ? "prefix(while:)" : "tryPrefix(while:)" }

  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  func receive(_ input: Input) throws(Thrown) -> Verdict<Input> { try isWanted(input) ? .emit(input) : .finish }
}
