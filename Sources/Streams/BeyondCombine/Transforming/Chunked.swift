extension Publisher {
  /// Collects neighbouring values that belong together into arrays.
  ///
  ///     [1, 2, 4, 5, 9].publisher.chunked(maxCount: 10) { $1 == $0 + 1 }   // [1, 2] [4, 5] [9]
  ///
  /// ![Marble diagram of chunked by a closure](diagram-chunked-by)
  ///
  /// The closure says of two neighbours whether they belong together. A chunk is sent when a value comes that does not belong
  /// with the one before, which begins the next chunk, or when it has `maxCount` values. When upstream finishes, the chunk
  /// that has been begun is sent; a failure drops it.
  ///
  /// Upstream is asked for one value for each chunk that is asked for, and for another one for each value that only makes a
  /// chunk longer, so one chunk may take many. A last chunk that nobody has asked for waits until it is asked for, and the
  /// completion with it. Cancellation passes through, and chunks are delivered where the values come. It keeps at most
  /// `maxCount` values; `.max` is for no bound.
  ///
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func chunked(
    maxCount: Int,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    by belongsInSameChunk: @escaping (Output, Output) -> Bool
  ) -> Publishers.ChunkedBy<Self> {
    Publishers.ChunkedBy(
      upstream: self, maxCount: maxCount,
      belongsInSameChunk: isolation.checking(belongsInSameChunk, fileID, filePath, line, column))
  }

  /// Collects neighbouring values with equal keys into arrays, and publishes each with its key.
  ///
  ///     words.chunked(maxCount: 100, on: \.first)   // ("a", ["ant", "ape"]) ("b", ["bee"])
  ///
  /// ![Marble diagram of chunked on a key](diagram-chunked-on)
  ///
  /// The closure makes a key of each value, and is called once for it. All else is as with `chunked(maxCount:by:)`.
  ///
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func chunked<Key: Equatable>(
    maxCount: Int,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    on key: @escaping (Output) -> Key
  ) -> Publishers.ChunkedOn<Self, Key> {
    Publishers.ChunkedOn(
      upstream: self, maxCount: maxCount, key: isolation.checking(key, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// The publisher of `chunked(maxCount:by:)`.
  @frozen
  public struct ChunkedBy<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = [Upstream.Output]

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream

    /// How many values a chunk has at most.
    public let maxCount: Int

    /// Says of two neighbours whether they belong together.
    public let belongsInSameChunk: (Upstream.Output, Upstream.Output) -> Bool

    /// Creates the publisher.
    @inlinable
    public init(
      upstream: Upstream, maxCount: Int, belongsInSameChunk: @escaping (Upstream.Output, Upstream.Output) -> Bool
    ) {
      requireRoomInChunk(maxCount)
      self.upstream = upstream
      self.maxCount = maxCount
      self.belongsInSameChunk = belongsInSameChunk
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Following.chunking(upstream, subscriber, ChunkBy(maxCount, belongsInSameChunk))
    }
  }

  /// The publisher of `chunked(maxCount:on:)`.
  @frozen
  public struct ChunkedOn<Upstream: Publisher, Key: Equatable>: Publisher {
    /// The kind of values this publisher sends: a key, and the values that have it.
    public typealias Output = (Key, [Upstream.Output])

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream

    /// How many values a chunk has at most.
    public let maxCount: Int

    /// Makes the key of a value.
    public let key: (Upstream.Output) -> Key

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, maxCount: Int, key: @escaping (Upstream.Output) -> Key) {
      requireRoomInChunk(maxCount)
      self.upstream = upstream
      self.maxCount = maxCount
      self.key = key
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Following.chunking(upstream, subscriber, ChunkOn(maxCount, key))
    }
  }
}

@inlinable
func requireRoomInChunk(_ maxCount: Int) {
  require(
    maxCount > 0,
    or: "chunked(maxCount: \(maxCount)): a chunk must have room for a value. Make it at least one.")
}

/// The chunk that has been begun.
@usableFromInline
protocol Chunking: AnyObject {
  associatedtype Element
  associatedtype Chunk

  /// Adds a value, and returns the chunk that this completes, if it does.
  func add(_ element: Element) -> Chunk?

  /// Takes out what there is of the chunk, if anything.
  func take() -> Chunk?
}

@usableFromInline @_fixed_layout
final class ChunkBy<Element>: Chunking {
  @usableFromInline let maxCount: Int
  @usableFromInline let belongsInSameChunk: (Element, Element) -> Bool
  // Exclusive: belongs to the value path, and at the end to whoever takes the rest; no closure runs while it is accessed, and
  // what it held is handed out.
  @usableFromInline @exclusivity(unchecked) var elements: [Element] = []

  @inlinable
  init(_ maxCount: Int, _ belongsInSameChunk: @escaping (Element, Element) -> Bool) {
    self.maxCount = maxCount
    self.belongsInSameChunk = belongsInSameChunk
  }

  @inlinable
  func add(_ element: Element) -> [Element]? {
    if let last = elements.last, !belongsInSameChunk(last, element) {
      defer { elements.append(element) }
      return take()
    }
    elements.append(element)
    return elements.count < maxCount ? nil : take()
  }

  @inlinable
  func take() -> [Element]? {
    var taken: [Element] = []
    swap(&taken, &elements)
    return taken.isEmpty ? nil : taken
  }
}

@usableFromInline @_fixed_layout
final class ChunkOn<Element, Key: Equatable>: Chunking {
  @usableFromInline let maxCount: Int
  @usableFromInline let key: (Element) -> Key
  // Exclusive: belongs to the value path, and at the end to whoever takes the rest; no closure runs while it is accessed, a key is
  // copied before it is compared, and what this held is handed out.
  @usableFromInline @exclusivity(unchecked) var begun: (key: Key, elements: [Element])?

  @inlinable
  init(_ maxCount: Int, _ key: @escaping (Element) -> Key) {
    self.maxCount = maxCount
    self.key = key
  }

  @inlinable
  func add(_ element: Element) -> (Key, [Element])? {
    let key = key(element)
    guard let current = begun?.key, current == key else {
      let completed = take()
      begun = (key, [element])
      return completed ?? (maxCount == 1 ? take() : nil)
    }
    begun?.elements.append(element)
    return begun?.elements.count == maxCount ? take() : nil
  }

  @inlinable
  func take() -> (Key, [Element])? {
    var taken: (key: Key, elements: [Element])?
    swap(&taken, &begun)
    return taken
  }
}

extension Following {
  /// Passes on the chunks of a source, and when it finishes what there is of the last one.
  @inlinable @inline(__always)
  static func chunking<Source: Publisher, Downstream: Subscriber, Chunks: Chunking>(
    _ source: Source, _ downstream: Downstream, _ chunks: Chunks
  )
  where
    Source.Output == Chunks.Element, Source.Failure == Failure, Chunks.Chunk == Output, Downstream.Input == Output,
    Downstream.Failure == Failure
  {
    let collected = Publishers.CompactMap(upstream: source, transform: { chunks.add($0) })
    begin(downstream, .succession(followsFailure: false, successors: 1), with: collected) { following, completion in
      switch completion {
      case .finished: following.end(0, failed: false, store: {})
      case .failure(let error): following.fail(0, with: error)
      }
    } attachNext: { following, slot in
      following.attachLast(LastChunk(chunks), to: slot)
    }
  }
}

/// Sends what there is of the last chunk, if anything.
///
/// It holds an object and no chunk: when a closure captured a tuple of generic types, Swift 6.3's compiler crashed.
@usableFromInline @frozen
struct LastChunk<Chunks: Chunking, Failure: Error>: Publisher {
  @usableFromInline typealias Output = Chunks.Chunk
  @usableFromInline let chunks: Chunks

  @inlinable
  init(_ chunks: Chunks) { self.chunks = chunks }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    chunks.take().publisher.setFailureType(to: Failure.self).subscribe(subscriber)
  }
}
