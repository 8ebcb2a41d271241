/// Whether the value with which a prefix ends is part of it.
public enum PrefixWhileBehavior: Hashable, Sendable {
  /// The first value that is not accepted is the last one that is passed on.
  case inclusive

  /// The first value that is not accepted is dropped, as by `Publisher.prefix(while:)`.
  case exclusive
}

extension Publisher {
  /// Passes on values while a closure accepts them, and finishes with the first that it does not accept, or before.
  ///
  ///     download.prefix(while: { $0.progress < 1 }, behavior: .inclusive)
  ///
  /// ![Marble diagram of prefix(while:behavior:)](diagram-prefix-while-behavior)
  ///
  /// Demand passes through. When the closure accepts a value no more, upstream is cancelled, and the stream finishes
  /// together with that value, if it is inclusive. Nothing is kept.
  @inlinable @_disfavoredOverload
  public __consuming func prefix(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    while predicate: @escaping (Output) -> Bool, behavior: PrefixWhileBehavior
  ) -> Publishers.PrefixWhileBehaving<Self> {
    Publishers.PrefixWhileBehaving(
      upstream: self, behavior: behavior, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `prefix(while:behavior:)`.
  @frozen
  public struct PrefixWhileBehaving<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// Whether the value that is not accepted is passed on as the last one.
    public let behavior: PrefixWhileBehavior

    /// The predicate.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, behavior: PrefixWhileBehavior, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.behavior = behavior
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber(PrefixBehavingStage(behavior, predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct PrefixBehavingStage<Input>: Stage {
  @usableFromInline let behavior: PrefixWhileBehavior
  @usableFromInline let predicate: (Input) -> Bool

  @inlinable
  init(_ behavior: PrefixWhileBehavior, _ predicate: @escaping (Input) -> Bool) {
    self.behavior = behavior
    self.predicate = predicate
  }

  @inlinable
  func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    predicate(input) ? .emit(input) : behavior == .inclusive ? .emitLast(input) : .finish
  }
}
