extension Publisher {
  /// Passes on the values that a closure accepts.
  ///
  ///     [1, 2, 3].publisher.filter { $0 > 1 }   // 2 3
  ///
  /// ![Marble diagram of filter](diagram-filter)
  ///
  /// A value that is not accepted gives its demand back. Cancellation and completion pass through.
  @inlinable
  public __consuming func filter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) -> Bool
  ) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isolation.checking(isIncluded, fileID, filePath, line, column))
  }

  /// Passes on the values that a closure accepts; an error that it throws cancels upstream and ends the stream.
  ///
  /// ![Marble diagram of tryFilter](diagram-tryFilter)
  @inlinable
  public __consuming func tryFilter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isolation.checking(isIncluded, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `filter(_:)`.
  @frozen
  public struct Filter<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are looked at.
    public let upstream: Upstream

    /// What accepts a value.
    public let isIncluded: (Upstream.Output) -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(FilterSubscriber(subscriber, isIncluded))
    }
  }

  /// The publisher of `tryFilter(_:)`.
  @frozen
  public struct TryFilter<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = any Error

    /// The publisher whose values are looked at.
    public let upstream: Upstream

    /// What accepts a value.
    public let isIncluded: (Upstream.Output) throws -> Bool

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(TryFilterStage(isIncluded), subscriber))
    }
  }
}

extension Publishers.Filter {
  /// Passes on the values that both closures accept, in one step.
  @inlinable
  public func filter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) -> Bool
  ) -> Publishers.Filter<Upstream> {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// Passes on the values that both closures accept, in one step.
  @inlinable
  public func tryFilter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Upstream> {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

extension Publishers.TryFilter {
  /// Passes on the values that both closures accept, in one step.
  @inlinable
  public func filter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) -> Bool
  ) -> Publishers.TryFilter<Upstream> {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    return tryFilter(isIncluded)
  }

  /// Passes on the values that both closures accept, in one step.
  @inlinable
  public func tryFilter(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Upstream> {
    let isIncluded = isolation.checking(isIncluded, fileID, filePath, line, column)
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

@usableFromInline @frozen
struct FilterSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: (Downstream.Input) -> Bool

  @inlinable
  init(_ downstream: Downstream, _ isIncluded: @escaping (Downstream.Input) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    isIncluded(input) ? downstream.receive(input) : .max(1)
  }
}

@usableFromInline @frozen
struct TryFilterStage<Input>: Stage {
  @usableFromInline let isIncluded: (Input) throws -> Bool

  @inlinable
  init(_ isIncluded: @escaping (Input) throws -> Bool) { self.isIncluded = isIncluded }

  @inlinable
  func receive(_ input: Input) throws -> Verdict<Input> { try isIncluded(input) ? .emit(input) : .skip }
}
