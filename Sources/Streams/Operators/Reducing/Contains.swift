extension Publisher where Output: Equatable {
  /// Sends whether one of the values is the one given.
  ///
  ///     (1...).publisher.contains(3)   // true
  ///
  /// ![Marble diagram of contains](diagram-contains)
  ///
  /// It asks for everything at once, and cancels upstream as soon as the value has come; the answer waits until it is
  /// asked for. A failure that comes before it is passed on.
  @inlinable
  public __consuming func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {
  /// Sends whether a closure accepts one of the values, as soon as it does.
  ///
  /// ![Marble diagram of contains(where:)](diagram-contains-where)
  @inlinable
  public __consuming func contains(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) -> Bool
  ) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }

  /// Sends whether a closure accepts one of the values, as soon as it does; an error that it throws cancels upstream and
  /// ends the stream.
  ///
  /// ![Marble diagram of tryContains](diagram-tryContains)
  @inlinable
  public __consuming func tryContains(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    where predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(
      upstream: self, predicate: isolation.checking(predicate, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of ``Publisher/contains(_:)``.
  @frozen
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
    /// The type of value this publisher publishes.
    public typealias Output = Bool

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The value that is looked for.
    public let output: Upstream.Output

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(ContainsReduction(output), subscriber))
    }
  }

  /// The publisher of `contains(where:)`.
  @frozen
  public struct ContainsWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(for: true, predicate), subscriber))
    }
  }

  /// The publisher of `tryContains(where:)`.
  @frozen
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
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
      upstream.subscribe(Reducer<_, Upstream.Failure, _>(SearchReduction(for: true, predicate), subscriber))
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct ContainsReduction<Input: Equatable>: Reduction {
  @usableFromInline let output: Input
  @usableFromInline var isFound = false

  @inlinable
  init(_ output: Input) { self.output = output }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Bool {
    isFound = input == output
    return isFound
  }

  @inlinable
  func result() -> Bool? { isFound }
}

/// Looks for a value of which a closure says what is wanted.
@usableFromInline @frozen
struct SearchReduction<Input, Thrown: Error>: Reduction {
  @usableFromInline let wanted: Bool
  @usableFromInline let predicate: (Input) throws(Thrown) -> Bool
  @usableFromInline var isFound = false

  @inlinable
  init(for wanted: Bool, _ predicate: @escaping (Input) throws(Thrown) -> Bool) {
    self.wanted = wanted
    self.predicate = predicate
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Thrown) -> Bool {
    isFound = try predicate(input) == wanted
    return isFound
  }

  @inlinable
  func result() -> Bool? { isFound == wanted }
}

extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
