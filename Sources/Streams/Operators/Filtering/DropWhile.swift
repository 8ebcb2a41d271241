extension Publisher {
  /// Leaves out values as long as a closure accepts them, and passes on all others.
  ///
  ///     [1, 2, 3, 1].publisher.drop { $0 < 3 }   // 3 1
  ///
  /// ![Marble diagram of drop(while:)](diagram-drop-while)
  ///
  /// The closure is not called again once it has turned a value down. A value that is left out gives its demand back.
  /// Cancellation and completion pass through.
  @inlinable
  public __consuming func drop(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    while predicate: @escaping (Output) -> Bool
  ) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Leaves out values as long as a closure accepts them; an error that it throws cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of tryDrop](diagram-tryDrop)
  @inlinable
  public __consuming func tryDrop(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    while predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `drop(while:)`.
  @frozen
  public struct DropWhile<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What accepts a value that is left out.
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropWhileStage(predicate), subscriber))
    }
  }

  /// The publisher of `tryDrop(while:)`.
  @frozen
  public struct TryDropWhile<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// What accepts a value that is left out.
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
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DropWhileStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct DropWhileStage<Input, Thrown: Error>: Stage {
  @usableFromInline let isUnwanted: (Input) throws(Thrown) -> Bool
  @usableFromInline var isDropping = true

  @inlinable
  init(_ isUnwanted: @escaping (Input) throws(Thrown) -> Bool) { self.isUnwanted = isUnwanted }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Input> {
    if isDropping, try isUnwanted(input) { return .skip }
    isDropping = false
    return .emit(input)
  }
}
