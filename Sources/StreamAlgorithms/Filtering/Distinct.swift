public import Streams

extension Publisher where Output: Hashable {
  /// Drops values that equal one of the last `count` values published.
  ///
  ///     [1, 2, 1, 3, 1].publisher.distinct(remembering: 2)   // 1 2 3 1
  ///
  /// ![The source publishes 1, 2, 1, 3 and 1 and finishes; the result publishes 1, 2, 3 and 1 and finishes.](diagram-distinct)
  ///
  /// Unlike `removeDuplicates()`, which compares a value only with the previous one, this operator remembers up to `count`
  /// values. It forgets the oldest one first, and a repeated value doesn't count as more recent. With `.max`, the operator
  /// never forgets, so memory use grows with each new value.
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. Completion, failure and cancellation
  /// pass through unchanged, and values are delivered on upstream's thread.
  ///
  /// - Parameter count: The number of values to remember, or `.max` for no limit.
  /// - Precondition: `count` is positive.
  /// - Complexity: O(1) on average for each value.
  @inlinable @_disfavoredOverload
  public __consuming func distinct(remembering count: Int) -> DistinctPublisher<Self, Output> {
    DistinctPublisher(upstream: self, key: { $0 }, count: count)
  }
}

extension Publisher {
  /// Drops values whose key equals the key of one of the last `count` values published.
  ///
  ///     messages.distinct(by: \.id, remembering: 1_000)
  ///
  /// ![The source publishes ant, bee, ape and cat and finishes; the result publishes ant, bee and cat and finishes.](diagram-distinct-by)
  ///
  /// The closure `key` runs once for each value, and only keys are stored. Otherwise, the operator behaves like
  /// ``distinct(remembering:)``.
  ///
  /// - Precondition: `count` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func distinct<Key: Hashable>(
    by key: @escaping (Output) -> Key, remembering count: Int
  ) -> DistinctPublisher<Self, Key> {
    DistinctPublisher(upstream: self, key: key, count: count)
  }
}

/// The publisher that `distinct(remembering:)` and `distinct(by:remembering:)` return.
@frozen
public struct DistinctPublisher<Upstream: Publisher, Key: Hashable>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let key: (Upstream.Output) -> Key
  @usableFromInline let count: Int

  @inlinable
  init(upstream: Upstream, key: @escaping (Upstream.Output) -> Key, count: Int) {
    require(
      count > 0,
      or:
        "distinct(remembering:) requires a count of at least 1, got \(count)."
    )
    self.upstream = upstream
    self.key = key
    self.count = count
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DistinctStage(key, count), subscriber))
  }
}

@usableFromInline @frozen
struct DistinctStage<Input, Key: Hashable>: Stage {
  @usableFromInline static var name: String { "distinct" }

  @usableFromInline let key: (Input) -> Key
  @usableFromInline let count: Int
  @usableFromInline var keys: Set<Key> = []

  /// The keys in the order in which they arrived. Once it contains `count` keys, the array is a ring.
  @usableFromInline var order: [Key] = []
  /// The index of the oldest key in a full ring.
  @usableFromInline var oldest = 0

  @inlinable
  init(_ key: @escaping (Input) -> Key, _ count: Int) {
    self.key = key
    self.count = count
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<Input> {
    let key = key(input)
    guard keys.insert(key).inserted else { return .skip }
    if order.count < count {
      order.append(key)
    } else {
      keys.remove(order[oldest])
      order[oldest] = key
      oldest = oldest + 1 == count ? 0 : oldest + 1
    }
    return .emit(input)
  }
}
