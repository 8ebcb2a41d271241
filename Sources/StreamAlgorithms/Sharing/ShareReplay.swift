public import Streams

extension Publisher {
  /// Shares one subscription to this publisher among many subscribers, and replays the newest values to later ones.
  ///
  ///     let page = load().share(replay: 1)
  ///
  /// ![The source publishes a and b and is cancelled; subscribed to again, it publishes a, b and c and finishes; …; subscriber 3 receives a, b and c and finishes.](diagram-share-replay)
  ///
  /// The operator subscribes to upstream when the first subscriber arrives. When the last one has cancelled, the operator
  /// cancels upstream and releases the buffered values. A later subscriber starts a new subscription to upstream. After
  /// upstream has finished or failed, each new subscriber receives the buffered values and the completion, without another
  /// subscription to upstream.
  ///
  /// The operator requests unlimited demand from upstream. Each subscriber has its own demand. As with ``ReplaySubject``, a
  /// slow subscriber can fall behind by up to `count` values before it misses any, and the buffered values are stored only
  /// once. Values are delivered on upstream's thread, or on the thread that requests them. With a `count` of 0, values without
  /// demand are dropped, and subscribers that arrive after the completion receive only the completion.
  ///
  /// - Parameter count: The number of values to replay.
  /// - Returns: An object that publishes the same values.
  /// - Precondition: `count` isn't negative.
  /// - Complexity: O(*n*) for each value, where *n* is the number of subscribers.
  @inlinable @_disfavoredOverload
  public __consuming func share(replay count: Int) -> ShareReplayPublisher<Self> {
    ShareReplayPublisher(upstream: self, count: count)
  }
}

/// The publisher that ``Streams/Publisher/share(replay:)`` returns.
@_fixed_layout
public final class ShareReplayPublisher<Upstream: Publisher>: Publisher, Equatable {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int

  @usableFromInline let connection = Connection()

  @inlinable
  init(upstream: Upstream, count: Int) {
    requireNotNegative(count, in: "share(replay:)", "a count")
    self.upstream = upstream
    self.count = count
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let (shared, connects) = connection.enter { Broadcast<Output, Failure>(keeping: count).core }
    let broadcast = Broadcast<Output, Failure>(unsafeDowncast(shared, to: BroadcastCore.self))
    broadcast.subscribe(ShareSubscriber(subscriber, connection))
    if let connects { connection.connect(upstream, to: ReplaySubject(broadcast), connects) }
  }

  /// Returns whether both publishers are the same object.
  public static func == (lhs: ShareReplayPublisher, rhs: ShareReplayPublisher) -> Bool { lhs === rhs }
}

// Unchecked: the locks of the broadcast and of the connection guard all mutable state. Values cross threads as they do with
// subjects.
extension ShareReplayPublisher: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
