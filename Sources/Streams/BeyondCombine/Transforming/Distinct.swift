extension Publisher where Output: Hashable {
  /// Publishes the values that are not among the last so many that were published.
  ///
  ///     [1, 2, 1, 3, 1].publisher.distinct(remembering: 2)   // 1 2 3 1
  ///
  /// ![Marble diagram of distinct](diagram-distinct)
  ///
  /// Other than `removeDuplicates()`, which compares a value with the one before, this looks further back. It remembers
  /// `count` values, and forgets the oldest of them first; a value that comes again is not remembered anew. With `.max` it
  /// forgets none, and then memory grows with every new value.
  ///
  /// A value that is held back gives its demand back. Completion, failure and cancellation pass through, and values are
  /// delivered where they come. It costs one look into a set for each value, O(1) on average.
  ///
  /// - Precondition: `count` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func distinct(remembering count: Int) -> Publishers.Distinct<Self, Output> {
    Publishers.Distinct(upstream: self, key: { $0 }, count: count)
  }
}

extension Publisher {
  /// Publishes the values whose keys are not among the last so many keys of published values.
  ///
  ///     messages.distinct(by: \.id, remembering: 1_000)
  ///
  /// ![Marble diagram of distinct with a key](diagram-distinct-by)
  ///
  /// The closure makes a key of each value, and is called once for it. All else is as with ``distinct(remembering:)``;
  /// only keys are kept.
  ///
  /// - Precondition: `count` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func distinct<Key: Hashable>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    by key: @escaping (Output) -> Key, remembering count: Int
  ) -> Publishers.Distinct<Self, Key> {
    Publishers.Distinct(
      upstream: self, key: isolation.checking(key, fileID, filePath, line, column), count: count)
  }
}

extension Publishers {
  /// The publisher of `distinct(remembering:)` and `distinct(by:remembering:)`.
  @frozen
  public struct Distinct<Upstream: Publisher, Key: Hashable>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that this one is made from.
    public let upstream: Upstream

    /// Makes the key by which values are told from one another.
    public let key: (Upstream.Output) -> Key

    /// How many keys are remembered.
    public let count: Int

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, key: @escaping (Upstream.Output) -> Key, count: Int) {
      require(
        count > 0,
        or:
          "distinct(remembering: \(count)): without a key to compare with, every value is distinct. Remember at least one."
      )
      self.upstream = upstream
      self.key = key
      self.count = count
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(DistinctStage(key, count), subscriber))
    }
  }
}

@usableFromInline @frozen
struct DistinctStage<Input, Key: Hashable>: Stage {
  @usableFromInline let key: (Input) -> Key
  @usableFromInline let count: Int
  @usableFromInline var keys: Set<Key> = []

  /// The keys in the order in which they came; once there are as many as are remembered, it is a ring.
  @usableFromInline var order: [Key] = []
  /// Where the oldest key is in a ring that is full.
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
