public import Streams

/// A constant that determines whether the value that ends a prefix is part of it.
public enum PrefixWhileBehavior: Hashable, Sendable {
  /// The first value that doesn't satisfy the predicate is published as the last one.
  case inclusive

  /// The first value that doesn't satisfy the predicate is dropped, as it is by `Publisher.prefix(while:)`.
  case exclusive
}

extension Publisher {
  /// Publishes values while they satisfy a predicate, and finishes with or before the first one that doesn't.
  ///
  ///     download.prefix(while: { $0.progress < 1 }, behavior: .inclusive)
  ///
  /// ![The source publishes 1, 2 and 3 and is cancelled; the result publishes 1, 2 and 3 and finishes.](diagram-prefix-while-behavior)
  ///
  /// Demand and cancellation pass through unchanged, and nothing is buffered. When a value doesn't satisfy the predicate, the
  /// operator cancels upstream and finishes. If the behavior is `inclusive`, it publishes that value first.
  ///
  /// - Parameters:
  ///   - predicate: A closure that returns whether to continue publishing values.
  ///   - behavior: A constant that determines whether the first value that doesn't satisfy the predicate is published.
  @inlinable @_disfavoredOverload
  public __consuming func prefix(
    while predicate: @escaping (Output) -> Bool, behavior: PrefixWhileBehavior
  ) -> PrefixWhileBehavingPublisher<Self> {
    PrefixWhileBehavingPublisher(upstream: self, behavior: behavior, predicate: predicate)
  }
}

/// The publisher that `prefix(while:behavior:)` returns.
@frozen
public struct PrefixWhileBehavingPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let behavior: PrefixWhileBehavior
  @usableFromInline let predicate: (Upstream.Output) -> Bool

  @inlinable
  init(
    upstream: Upstream, behavior: PrefixWhileBehavior,
    predicate: @escaping (Upstream.Output) -> Bool
  ) {
    self.upstream = upstream
    self.behavior = behavior
    self.predicate = predicate
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber(PrefixBehavingStage(behavior, predicate), subscriber))
  }
}

@usableFromInline @frozen
struct PrefixBehavingStage<Input>: Stage {
  @usableFromInline static var name: String { "prefix(while:)" }

  @usableFromInline let behavior: PrefixWhileBehavior
  @usableFromInline let predicate: (Input) -> Bool

  @inlinable
  init(_ behavior: PrefixWhileBehavior, _ predicate: @escaping (Input) -> Bool) {
    self.behavior = behavior
    self.predicate = predicate
  }

  @inlinable
  func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    predicate(input) ? .emit(input) : behavior == .inclusive ? .emit(input, isLast: true) : .finish
  }
}
