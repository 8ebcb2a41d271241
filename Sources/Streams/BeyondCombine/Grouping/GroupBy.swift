extension Publisher {
  /// Splits the stream into groups: publishers of the values that have the same key.
  ///
  ///     events.groupBy({ $0.user }, maxGroups: 1000, bufferSize: 16)
  ///       .flatMap { group in group.debounce(for: .seconds(1), scheduler: queue) }
  ///
  /// ![Marble diagram of groupBy](diagram-groupBy)
  ///
  /// A group opens with its first value and is sent before it. Values come through it as they come from upstream. It
  /// keeps the newest `bufferSize` of them for subscribers that come later, and is a ``ReplaySubject`` in all that
  /// concerns demand.
  ///
  /// At most `maxGroups` are open: when another one opens, the one that was opened first finishes; a later value with
  /// its key opens it anew. Upstream is asked for everything. Groups that downstream has not asked for wait,
  /// `maxGroups` at most; more than that displace the oldest of them. All groups end as upstream does, and then the
  /// stream. Cancelling the stream leaves them without further values.
  ///
  /// The closure is called once for each value.
  ///
  /// - Precondition: `maxGroups` and `bufferSize` are positive.
  @inlinable @_disfavoredOverload
  public __consuming func groupBy<Key: Hashable>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ key: @escaping (Output) -> Key, maxGroups: Int, bufferSize: Int
  ) -> Publishers.GroupBy<Self, Key> {
    Publishers.GroupBy(
      upstream: self, maxGroups: maxGroups, bufferSize: bufferSize,
      key: isolation.checking(key, fileID, filePath, line, column))
  }
}

/// A publisher of the values of a stream that have the same key.
@frozen
public struct GroupedPublisher<Key: Hashable, Output, Failure: Error>: Publisher {
  /// What the values have in common.
  public let key: Key

  @usableFromInline let subject: ReplaySubject<Output, Failure>

  @inlinable
  init(_ key: Key, _ subject: ReplaySubject<Output, Failure>) {
    self.key = key
    self.subject = subject
  }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subject.receive(subscriber: subscriber)
  }
}

extension Publishers {
  /// The publisher of `groupBy(_:maxGroups:bufferSize:)`.
  @frozen
  public struct GroupBy<Upstream: Publisher, Key: Hashable>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are dealt out.
    public let upstream: Upstream

    /// How many groups are open at most.
    public let maxGroups: Int

    /// How many values a group keeps for subscribers that come later.
    public let bufferSize: Int

    /// What values of one group have in common.
    public let key: (Upstream.Output) -> Key

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, maxGroups: Int, bufferSize: Int, key: @escaping (Upstream.Output) -> Key) {
      require(maxGroups > 0, or: "groupBy(maxGroups: \(maxGroups)): no group could be opened. Allow at least one.")
      require(
        bufferSize > 0, or: "groupBy(bufferSize: \(bufferSize)): there must be room for a value. Make it at least one.")
      self.upstream = upstream
      self.maxGroups = maxGroups
      self.bufferSize = bufferSize
      self.key = key
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Groups(upstream: upstream, maxGroups: maxGroups, bufferSize: bufferSize, key: key)
        .buffer(size: maxGroups, prefetch: .byRequest, whenFull: .dropOldest)
        .receive(subscriber: subscriber)
    }
  }
}

/// The groups of a stream, for a subscriber that asks for all of them.
@usableFromInline @frozen
struct Groups<Upstream: Publisher, Key: Hashable>: Publisher {
  @usableFromInline typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let upstream: Upstream
  @usableFromInline let maxGroups: Int
  @usableFromInline let bufferSize: Int
  @usableFromInline let key: (Upstream.Output) -> Key

  @inlinable
  init(upstream: Upstream, maxGroups: Int, bufferSize: Int, key: @escaping (Upstream.Output) -> Key) {
    self.upstream = upstream
    self.maxGroups = maxGroups
    self.bufferSize = bufferSize
    self.key = key
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.map { BoundarySignal.value($0) }.subscribe(
      GroupingSubscriber(
        subscriber, maxGroups: maxGroups, bufferSize: bufferSize, key: key, present: { GroupedPublisher($0, $1) }))
  }
}

extension GroupedPublisher: Sendable where Key: Sendable, Output: Sendable {}
