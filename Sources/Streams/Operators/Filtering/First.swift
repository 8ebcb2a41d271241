extension Publisher {
  /// Passes on the first value, and finishes with it.
  ///
  ///     [1, 2].publisher.first()   // 1
  ///
  /// ![Marble diagram of first](diagram-first)
  ///
  /// As soon as the value has come, upstream is cancelled. Demand passes through.
  @inlinable
  public __consuming func first() -> Publishers.First<Self> { Publishers.First(upstream: self) }

  /// Passes on the first value that a closure accepts, and finishes with it.
  ///
  /// ![Marble diagram of first(where:)](diagram-first-where)
  @inlinable
  public __consuming func first(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Passes on the first value that a closure accepts, and finishes with it; an error that it throws cancels upstream and
  /// ends the stream.
  ///
  /// ![Marble diagram of tryFirst](diagram-tryFirst)
  @inlinable
  public __consuming func tryFirst(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of ``Publisher/first()``.
  @frozen
  public struct First<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(FirstStage { (_: Output) in true }, subscriber))
    }
  }

  /// The publisher of `first(where:)`.
  @frozen
  public struct FirstWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(FirstStage(predicate), subscriber))
    }
  }

  /// The publisher of `tryFirst(where:)`.
  @frozen
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(FirstStage(predicate), subscriber))
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct FirstStage<Input, Thrown: Error>: Stage {
  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  func receive(_ input: Input) throws(Thrown) -> Verdict<Input> { try isWanted(input) ? .emitLast(input) : .skip }
}

extension Publishers.First: Sendable where Upstream: Sendable {}
