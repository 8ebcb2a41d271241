public import Streams

extension Publisher {
  /// Collects consecutive values into arrays, starting a new array when a closure returns `false` for two neighboring values.
  ///
  ///     [1, 2, 4, 5, 9].publisher.chunked(maxCount: 10) { $1 == $0 + 1 }   // [1, 2] [4, 5] [9]
  ///
  /// ![The source publishes 1, 2, 4, 5 and 9 and finishes; the result publishes [1, 2], [4, 5] and [9] and finishes.](diagram-chunked-by)
  ///
  /// An array, or *chunk*, is published when it has `maxCount` values or when the next value begins a new chunk. When upstream
  /// finishes, the current chunk is published. When upstream fails, that chunk is dropped.
  ///
  /// For each chunk that downstream requests, the operator requests one value from upstream, plus another for each value that
  /// merely extends a chunk. The last chunk waits until downstream requests it, and the completion follows. Cancellation passes
  /// through unchanged. Chunks are delivered on upstream's thread, or on the thread that requests a waiting last chunk. At most
  /// `maxCount` values are buffered.
  ///
  /// - Parameters:
  ///   - maxCount: The maximum number of values in a chunk, or `.max` for no limit.
  ///   - belongsInSameChunk: A closure that returns `true` if two neighboring values belong to the same chunk.
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func chunked(
    maxCount: Int,
    by belongsInSameChunk: @escaping (Output, Output) -> Bool
  ) -> ChunkedByPublisher<Self> {
    ChunkedByPublisher(upstream: self, maxCount: maxCount, belongsInSameChunk: belongsInSameChunk)
  }

  /// Collects consecutive values with equal keys into arrays, and publishes each array with its key.
  ///
  ///     words.chunked(maxCount: 100, on: \.first)   // ("a", ["ant", "ape"]) ("b", ["bee"])
  ///
  /// ![The source publishes ant, ape and bee and finishes; the result publishes a: ant ape and b: bee and finishes.](diagram-chunked-on)
  ///
  /// The closure `key` is called once for each value. Otherwise, the operator behaves like ``chunked(maxCount:by:)``.
  ///
  /// - Precondition: `maxCount` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func chunked<Key: Equatable>(
    maxCount: Int,
    on key: @escaping (Output) -> Key
  ) -> ChunkedOnPublisher<Self, Key> {
    ChunkedOnPublisher(upstream: self, maxCount: maxCount, key: key)
  }
}

/// The publisher that `chunked(maxCount:by:)` returns.
@frozen
public struct ChunkedByPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = [Upstream.Output]
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxCount: Int
  @usableFromInline let belongsInSameChunk: (Upstream.Output, Upstream.Output) -> Bool

  @inlinable
  init(
    upstream: Upstream, maxCount: Int, belongsInSameChunk: @escaping (Upstream.Output, Upstream.Output) -> Bool
  ) {
    requireRoomInChunk(maxCount)
    self.upstream = upstream
    self.maxCount = maxCount
    self.belongsInSameChunk = belongsInSameChunk
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(subscriber, chunking: ChunkBy(maxCount, belongsInSameChunk))
  }
}

/// The publisher that `chunked(maxCount:on:)` returns.
@frozen
public struct ChunkedOnPublisher<Upstream: Publisher, Key: Equatable>: Publisher {
  /// The type of the values that this publisher sends: a key and the values that share it.
  public typealias Output = (Key, [Upstream.Output])
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let maxCount: Int
  @usableFromInline let key: (Upstream.Output) -> Key

  @inlinable
  init(upstream: Upstream, maxCount: Int, key: @escaping (Upstream.Output) -> Key) {
    requireRoomInChunk(maxCount)
    self.upstream = upstream
    self.maxCount = maxCount
    self.key = key
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(subscriber, chunking: ChunkOn(maxCount, key))
  }
}

@inlinable
func requireRoomInChunk(_ maxCount: Int) {
  require(
    maxCount > 0,
    or: "chunked(maxCount:) requires a count of at least 1, got \(maxCount).")
}

/// A chunk under construction.
@usableFromInline
protocol Chunking: AnyObject {
  associatedtype Element
  associatedtype Chunk

  /// The number of elements in a full chunk.
  var maxCount: Int { get }

  /// The number of elements in the incomplete chunk.
  var count: Int { get }

  /// The context of the last element, if contexts are carried.
  var context: ContextSnapshot? { get set }

  /// Adds a value, and returns the chunk that it completes, if any.
  func add(_ element: Element) -> Chunk?

  /// Removes and returns the incomplete chunk, if it isn't empty.
  func take() -> Chunk?
}

@usableFromInline @_fixed_layout
final class ChunkBy<Element>: Chunking {
  @usableFromInline let maxCount: Int
  @usableFromInline let belongsInSameChunk: (Element, Element) -> Bool
  // Exclusive: accessed only on the value path and, at the end, by the thread that takes the last chunk. No closure runs during
  // an access, and elements are moved out before they're released.
  @usableFromInline @exclusivity(unchecked) var elements: [Element] = []
  @usableFromInline @exclusivity(unchecked) var context: ContextSnapshot?

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
  var count: Int { elements.count }

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
  // Exclusive: accessed only on the value path and, at the end, by the thread that takes the last chunk. No closure runs during
  // an access. A key is copied before it's compared, and the content is moved out before it's released.
  @usableFromInline @exclusivity(unchecked) var begun: (key: Key, elements: [Element])?
  @usableFromInline @exclusivity(unchecked) var context: ContextSnapshot?

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
  var count: Int { begun?.elements.count ?? 0 }

  @inlinable
  func take() -> (Key, [Element])? {
    var taken: (key: Key, elements: [Element])?
    swap(&taken, &begun)
    return taken
  }
}

extension Publisher {
  /// Attaches a subscriber that receives this publisher's values in chunks. When this publisher has finished, the incomplete
  /// last chunk follows.
  @inlinable @inline(__always)
  func subscribe<S: Subscriber, Chunks: Chunking>(_ subscriber: S, chunking chunks: Chunks)
  where Chunks.Element == Output, S.Input == Chunks.Chunk, S.Failure == Failure {
    let engine = SuccessionEngine(
      SubscriberReceiver(subscriber), ElementLayout(Chunks.Chunk.self), "chunked(maxCount:)")
    engine.attach(FullChunks(upstream: self, chunks: chunks)) {
      $0.attach(last: LastChunk<Chunks, Failure>(chunks), to: $1)
    }
  }
}

/// Publishes each chunk that's full or that the next element doesn't belong to.
@usableFromInline @frozen
struct FullChunks<Upstream: Publisher, Chunks: Chunking>: Publisher where Chunks.Element == Upstream.Output {
  @usableFromInline typealias Output = Chunks.Chunk
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let upstream: Upstream
  @usableFromInline let chunks: Chunks

  @inlinable
  init(upstream: Upstream, chunks: Chunks) {
    self.upstream = upstream
    self.chunks = chunks
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(ChunkingSubscriber(subscriber, chunks))
  }
}

@usableFromInline @frozen
struct ChunkingSubscriber<Chunks: Chunking, Downstream: Subscriber>: PassthroughSubscriber
where Downstream.Input == Chunks.Chunk {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let chunks: Chunks
  @usableFromInline package let flow: FlowCounter?

  @inlinable
  init(_ downstream: Downstream, _ chunks: Chunks) {
    self.downstream = downstream
    self.chunks = chunks
    flow = RuntimeFeatures.isAny ? FlowCounter.ifObserved() : nil
  }

  @inlinable @inline(__always)
  func receive(_ input: Chunks.Element) -> Subscribers.Demand {
    let context = chunks.context
    let chunk = chunks.add(input)
    if RuntimeFeatures.isAny { chunks.context = .captured(like: chunks.context) }
    if let flow { flow.note(isDropped: chunk == nil, chunks.count, of: chunks.maxCount) }
    guard let chunk else { return .max(1) }
    // If this element doesn't belong to the chunk, the chunk has the context of its own last element.
    guard let context, chunks.count > 0 else { return downstream.receive(chunk) }
    var more = Subscribers.Demand.none
    context.run { more = downstream.receive(chunk) }
    return more
  }
}

extension ChunkingSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("", to: Downstream.self) }
}

/// Publishes the incomplete last chunk, if it isn't empty.
///
/// It holds an object instead of the chunk, because the Swift 6.3 compiler crashed when a closure captured a tuple of generic
/// types.
@usableFromInline @frozen
struct LastChunk<Chunks: Chunking, Failure: Error>: Publisher {
  @usableFromInline typealias Output = Chunks.Chunk
  @usableFromInline let chunks: Chunks

  @inlinable
  init(_ chunks: Chunks) { self.chunks = chunks }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    chunks.take().publisher.setFailureType(to: Failure.self)
      .subscribe(LastChunkSubscriber(downstream: subscriber, context: chunks.context))
  }
}

/// Passes on the last chunk under the context of its last element.
@usableFromInline @frozen
struct LastChunkSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let context: ContextSnapshot?

  @inlinable
  init(downstream: Downstream, context: ContextSnapshot?) {
    self.downstream = downstream
    self.context = context
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    ContextSnapshot.run(context) { _ = downstream.receive(input) }
    // Nothing follows.
    return .none
  }
}

extension LastChunkSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("", to: Downstream.self) }
}
