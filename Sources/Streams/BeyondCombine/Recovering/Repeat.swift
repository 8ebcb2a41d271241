extension Publisher {
  /// Publishes what this publisher sends so many times, by attaching to it again whenever it finishes.
  ///
  ///     [1, 2].publisher.repeat(2)   // 1 2 1 2
  ///
  /// ![Marble diagram of repeat](diagram-repeat)
  ///
  /// It attaches `count` times in total; with 0 it finishes at once, and never attaches. A failure ends the stream. Each time
  /// gets the demand that is still outstanding. Repetitions that finish at once are made in a loop and do not grow the
  /// stack.
  ///
  /// Values are delivered where they come, and nothing is kept but the publisher, for as long as the stream lasts, because
  /// this attaches to it again.
  ///
  /// - Precondition: `count` is not negative.
  @inlinable @_disfavoredOverload
  public func `repeat`(_ count: Int) -> Publishers.Repeat<Self> { Publishers.Repeat(upstream: self, count: count) }

  /// Publishes what this publisher sends again and again, by attaching to it again whenever it finishes.
  ///
  ///     Deferred { load() }.delay(for: 60, scheduler: queue).repeat()
  ///
  /// It ends with a failure or a cancellation only. A publisher that finishes at once without a value is attached to again
  /// without end, on the thread that subscribes, until the stream is cancelled on another. All else is as with
  /// ``repeat(_:)``.
  @inlinable @_disfavoredOverload
  public func `repeat`() -> Publishers.Repeat<Self> { Publishers.Repeat(upstream: self, count: nil) }
}

extension Publishers {
  /// The publisher of `repeat(_:)` and `repeat()`.
  @frozen
  public struct Repeat<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is repeated.
    public let upstream: Upstream

    /// How many times it is attached to; `nil` for any number.
    public let count: Int?

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, count: Int?) {
      if let count { requireNotNegative(count, in: "repeat") }
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if count == 0 { return subscriber.receiveOnly(.finished) }
      let upstream = upstream
      let engine = Engine.succession(followsFailure: false, successors: count.map { $0 - 1 } ?? .max)
      Following.begin(subscriber, engine, with: upstream, { $0.endAttempt(0, $1) }) { following, slot in
        following.attach(upstream, to: slot) { $0.endAttempt(slot, $1) }
      }
    }
  }
}

extension Publishers.Repeat: Equatable where Upstream: Equatable {}
extension Publishers.Repeat: Sendable where Upstream: Sendable {}
