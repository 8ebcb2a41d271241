public import Streams

extension Publisher {
  /// Splits the stream into groups, which are publishers whose values share a key.
  ///
  ///     events.groupBy({ $0.user }, maxGroups: 1000, bufferSize: 16)
  ///       .flatMap { group in group.debounce(for: .seconds(1), scheduler: queue) }
  ///
  /// ![The source publishes a, b, a, c and b and finishes; the result publishes a1, b1, a2, c1 and b2 and finishes.](diagram-groupBy)
  ///
  /// A group opens when its first value arrives, and is published before that value. A group buffers its newest `bufferSize`
  /// values for later subscribers, and handles demand like a ``ReplaySubject``. Values are delivered on upstream's thread, and
  /// buffered values on the thread that requests them.
  ///
  /// Opening a group while `maxGroups` groups are open finishes the one that has been open longest. A later value with the
  /// finished group's key opens a new group.
  ///
  /// The operator requests unlimited demand from upstream. Up to `maxGroups` groups wait for downstream demand. If another is
  /// added, the oldest is dropped. When upstream finishes or fails, so do the open groups. The stream ends after the waiting
  /// groups have been delivered. After you cancel the stream, its groups don't receive any more values.
  ///
  /// - Parameters:
  ///   - key: A closure that returns a value's key. It's called once for each value.
  ///   - maxGroups: The maximum number of open groups.
  ///   - bufferSize: The number of values that a group buffers for later subscribers.
  /// - Precondition: `maxGroups` and `bufferSize` are positive.
  /// - Complexity: O(1) on average for each value.
  @inlinable @_disfavoredOverload
  public __consuming func groupBy<Key: Hashable>(
    _ key: @escaping (Output) -> Key, maxGroups: Int, bufferSize: Int
  ) -> GroupByPublisher<Self, Key> {
    GroupByPublisher(upstream: self, maxGroups: maxGroups, bufferSize: bufferSize, key: key)
  }
}

/// A publisher that sends values with the same key.
@frozen
public struct GroupedPublisher<Key: Hashable, Output, Failure: Error>: Publisher {
  /// The key that the values share.
  public let key: Key

  @usableFromInline let subject: OperatorSubject<Output, Failure>

  @inlinable
  init(_ key: Key, _ subject: OperatorSubject<Output, Failure>) {
    self.key = key
    self.subject = subject
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subject.receive(subscriber: subscriber)
  }
}

/// The publisher that `groupBy(_:maxGroups:bufferSize:)` returns.
@frozen
public struct GroupByPublisher<Upstream: Publisher, Key: Hashable>: Publisher {
  public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxGroups: Int
  @usableFromInline let bufferSize: Int
  @usableFromInline let key: (Upstream.Output) -> Key

  @inlinable
  init(upstream: Upstream, maxGroups: Int, bufferSize: Int, key: @escaping (Upstream.Output) -> Key) {
    require(maxGroups > 0, or: "groupBy(maxGroups:) requires a maximum of at least 1, got \(maxGroups).")
    require(
      bufferSize > 0, or: "groupBy(bufferSize:) requires a size of at least 1, got \(bufferSize).")
    self.upstream = upstream
    self.maxGroups = maxGroups
    self.bufferSize = bufferSize
    self.key = key
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    Groups(upstream: upstream, maxGroups: maxGroups, bufferSize: bufferSize, key: key)
      .subscribe(subscriber, keepingNewest: maxGroups, .groupBy)
  }
}

/// A publisher of a stream's groups. Its subscriber must request unlimited demand.
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
    upstream.mapPart { BoundarySignal.value($0) }.subscribe(
      GroupingSubscriber(
        subscriber, OperatorName("a group"), maxGroups: maxGroups, bufferSize: bufferSize, key: key,
        present: { GroupedPublisher($0, $1) }))
  }
}

extension GroupedPublisher: Sendable where Key: Sendable, Output: Sendable {}
