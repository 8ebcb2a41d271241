extension Publisher where Output: Equatable {
  /// Passes on the values that differ from the one before.
  ///
  ///     [1, 1, 2, 1].publisher.removeDuplicates()   // 1 2 1
  ///
  /// ![Marble diagram of removeDuplicates](diagram-removeDuplicates)
  ///
  /// A value that is held back gives its demand back. Cancellation and completion pass through.
  @inlinable
  public __consuming func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}

extension Publisher {
  /// Passes on the values that a closure tells from the last one that was passed on.
  @inlinable
  public __consuming func removeDuplicates(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    by predicate: @escaping (Output, Output) -> Bool
  ) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(
      upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Passes on the values that a closure tells from the last one that was passed on; an error that it throws cancels
  /// upstream and ends the stream.
  ///
  /// ![Marble diagram of tryRemoveDuplicates](diagram-tryRemoveDuplicates)
  @inlinable
  public __consuming func tryRemoveDuplicates(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(
      upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `removeDuplicates(by:)`.
  @frozen
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Says whether two values are the same.
    public let predicate: (Upstream.Output, Upstream.Output) -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(RemoveDuplicatesStage(predicate), subscriber))
    }
  }

  /// The publisher of `tryRemoveDuplicates(by:)`.
  @frozen
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Says whether two values are the same.
    public let predicate: (Upstream.Output, Upstream.Output) throws -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output, Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(RemoveDuplicatesStage(predicate), subscriber))
    }
  }
}

@usableFromInline @frozen
struct RemoveDuplicatesStage<Input, Thrown: Error>: Stage {
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
