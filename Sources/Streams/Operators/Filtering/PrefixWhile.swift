extension Publisher {
  /// Passes on values as long as a closure accepts them, and finishes with the first that it turns down.
  ///
  ///     [1, 2, 3, 1].publisher.prefix { $0 < 3 }   // 1 2
  ///
  /// ![Marble diagram of prefix(while:)](diagram-prefix-while)
  ///
  /// As soon as a value is turned down, upstream is cancelled. Demand passes through.
  @inlinable
  public __consuming func prefix(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    while predicate: @escaping (Output) -> Bool
  ) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Passes on values as long as a closure accepts them; an error that it throws cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of tryPrefix](diagram-tryPrefix)
  @inlinable
  public __consuming func tryPrefix(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    while predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `prefix(while:)`.
  @frozen
  public struct PrefixWhile<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What accepts a value.
    public let predicate: (Upstream.Output) -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PrefixWhileStage(predicate), subscriber))
    }
  }

  /// The publisher of `tryPrefix(while:)`.
  @frozen
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What accepts a value.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(PrefixWhileStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct PrefixWhileStage<Input, Thrown: Error>: Stage {
  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  func receive(_ input: Input) throws(Thrown) -> Verdict<Input> { try isWanted(input) ? .emit(input) : .finish }
}
