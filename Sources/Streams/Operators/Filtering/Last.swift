extension Publisher {
  /// Passes on the last value when upstream finishes.
  ///
  ///     [1, 2].publisher.last()   // 2
  ///
  /// ![Marble diagram of last](diagram-last)
  ///
  /// It asks for everything at once; the value waits until it is asked for. A failure drops it.
  @inlinable
  public __consuming func last() -> Publishers.Last<Self> { Publishers.Last(upstream: self) }

  /// Passes on the last value that a closure accepts when upstream finishes.
  ///
  /// ![Marble diagram of last(where:)](diagram-last-where)
  @inlinable
  public __consuming func last(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Passes on the last value that a closure accepts when upstream finishes; an error that it throws cancels upstream and
  /// ends the stream.
  ///
  /// ![Marble diagram of tryLast](diagram-tryLast)
  @inlinable
  public __consuming func tryLast(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of ``Publisher/last()``.
  @frozen
  public struct Last<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction { (_: Output) in true }, subscriber))
    }
  }

  /// The publisher of `last(where:)`.
  @frozen
  public struct LastWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction(predicate), subscriber))
    }
  }

  /// The publisher of `tryLast(where:)`.
  @frozen
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(LastReduction(predicate), subscriber))
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct LastReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline let isWanted: (Input) throws(Thrown) -> Bool
  @usableFromInline var last: Input?

  @inlinable
  init(_ isWanted: @escaping (Input) throws(Thrown) -> Bool) { self.isWanted = isWanted }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    if try isWanted(input) { last = input }
    return false
  }

  @inlinable
  var hasResult: Bool { last != nil }

  @inlinable
  func result() -> Input? { last }
}

extension Publishers.Last: Sendable where Upstream: Sendable {}
