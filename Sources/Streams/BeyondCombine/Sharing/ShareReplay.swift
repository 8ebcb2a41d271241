extension Publisher {
  /// Sends what this publisher sends to many subscribers, with one subscription upstream, and the newest values to those that
  /// come later.
  ///
  ///     let page = load().share(replay: 1)
  ///
  /// ![Marble diagram of share(replay:)](diagram-share-replay)
  ///
  /// The first subscriber attaches it. When the last one leaves, upstream is cancelled, and what was kept is let go of; a
  /// subscriber that comes after that attaches it anew. Only a cancellation counts as leaving: once upstream has ended, what
  /// is kept stays, and a subscriber receives that and the completion, a failure too; upstream is not attached again.
  ///
  /// Upstream is asked for everything. Each subscriber has its own demand; for one that is slow the newest `count` values are
  /// kept, as ``ReplaySubject`` says, whose cost this has. Values are delivered where upstream sends, or where they are asked
  /// for. To keep none, use ``share()``.
  ///
  /// - Precondition: `count` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func share(replay count: Int) -> Publishers.ShareReplay<Self> {
    Publishers.ShareReplay(upstream: self, count: count)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/share(replay:)``.
  @_fixed_layout
  public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is shared.
    public let upstream: Upstream

    /// How many values are kept.
    public let count: Int

    @usableFromInline let connection = Connection()

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      require(
        count > 0, or: "share(replay: \(count)): there must be room for a value. Use share() to keep none.")
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (roster, connects) = connection.enter { Broadcast<Output, Failure>(keeping: count) }
      let subject = ReplaySubject(unsafeDowncast(roster, to: Broadcast<Output, Failure>.self))
      subject.subscribe(ShareSubscriber(subscriber, connection))
      connection.connect(upstream, to: subject, connects)
    }

    /// Whether both are the same object.
    public static func == (lhs: ShareReplay, rhs: ShareReplay) -> Bool { lhs === rhs }
  }
}

// Unchecked: what changes is behind the locks of a broadcast and of the connection, and values cross threads as with subjects.
extension Publishers.ShareReplay: @unchecked Sendable where Upstream: Sendable, Output: Sendable {}
