extension Publisher {
  /// Sends whether a closure accepts all values.
  ///
  ///     (1...).publisher.allSatisfy { $0 < 3 }   // false
  ///
  /// ![Marble diagram of allSatisfy](diagram-allSatisfy)
  ///
  /// It asks for everything at once, and cancels upstream as soon as a value is not accepted; the answer waits until it is
  /// asked for, and is `true` without a value. A failure that comes before it is passed on.
  @inlinable
  public __consuming func allSatisfy(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ predicate: @escaping (Output) -> Bool
  ) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Sends whether a closure accepts all values; an error that it throws cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of tryAllSatisfy](diagram-tryAllSatisfy)
  @inlinable
  public __consuming func tryAllSatisfy(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `allSatisfy(_:)`.
  @frozen
  public struct AllSatisfy<Upstream: Publisher>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = Bool

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The predicate.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(for: false, predicate), subscriber))
    }
  }

  /// The publisher of `tryAllSatisfy(_:)`.
  @frozen
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = Bool

    /// The type of error this publisher may fail with.
    public typealias Failure = any Error

    /// The upstream publisher.
    public let upstream: Upstream

    /// The predicate.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(for: false, predicate), subscriber))
    }
  }
}
