public import Streams

extension Publisher {
  /// Publishes values while the latest value from another publisher is `true`, and drops them while it's `false`.
  ///
  ///     ticks.pausable(runningWhile: $isRunning)
  ///
  /// ![values publishes a, b, c and d and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b and c and finishes.](diagram-pausable)
  ///
  /// The stream is paused until the other publisher has sent `true`. A dropped value doesn't use up demand: the operator
  /// requests another in its place. The operator requests unlimited demand from the other publisher, and doesn't request
  /// anything from this publisher before the other has sent a value. The stream finishes when this publisher finishes, or when
  /// the other one finishes without a value. If the other one finishes later, its last value remains in effect. The stream
  /// fails as soon as either fails. When the stream ends, the operator cancels the publisher that is still running.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> PausablePublisher<Self, P>
  where P.Output == Bool, P.Failure == Failure { PausablePublisher(upstream: self, isRunning: isRunning) }

  /// Drops values during pauses, like ``pausable(runningWhile:)-5n664``, where the other publisher can't fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P
  ) -> PausablePublisher<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self))
  }

  /// Drops values during pauses, like ``pausable(runningWhile:)-5n664``, where neither publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> PausablePublisher<Self, P>
  where P.Output == Bool, Failure == Never, P.Failure == Never {
    PausablePublisher(upstream: self, isRunning: isRunning)
  }

  /// Publishes values while the latest value from another publisher is `true`, and buffers them while it's `false`.
  ///
  ///     messages.pausable(runningWhile: $isConnected, buffering: 100, whenFull: .dropOldest)
  ///
  /// ![values publishes a, b, c, d and e and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b, c, d and e and finishes.](diagram-pausable-buffering)
  ///
  /// The stream is paused until the other publisher has sent `true`. The operator requests unlimited demand from both
  /// publishers. With `.wait`, it requests only as many values from this publisher as there's room for. At most `size` values
  /// are buffered, either during a pause or because there's no downstream demand. With `.fail(_:)`, a value that doesn't fit
  /// ends the pause: the buffered values are delivered, followed by the failure.
  ///
  /// When this publisher finishes or fails, the buffered values are delivered before the completion. If values are buffered
  /// during a pause, they and the completion wait for the next `true`. If the other publisher finishes during a pause, nothing
  /// can end the pause, so the buffered values are dropped and the stream ends. If the other publisher fails, the stream fails,
  /// and the buffered values are dropped.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for handling a value that doesn't fit.
  /// - Precondition: `size` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: OverflowStrategy<Failure>
  ) -> PausableBufferPublisher<Self, P> where P.Output == Bool, P.Failure == Failure {
    PausableBufferPublisher(upstream: self, isRunning: isRunning, size: size, whenFull: whenFull)
  }

  /// Buffers values during pauses, like ``pausable(runningWhile:buffering:whenFull:)-46c8t``, where the other publisher can't
  /// fail.
  ///
  /// - Precondition: `size` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: OverflowStrategy<Failure>
  ) -> PausableBufferPublisher<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self), buffering: size, whenFull: whenFull)
  }

  /// Buffers values during pauses, like ``pausable(runningWhile:buffering:whenFull:)-46c8t``, where neither publisher can fail.
  ///
  /// - Precondition: `size` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: OverflowStrategy<Failure>
  ) -> PausableBufferPublisher<Self, P> where P.Output == Bool, Failure == Never, P.Failure == Never {
    PausableBufferPublisher(upstream: self, isRunning: isRunning, size: size, whenFull: whenFull)
  }
}

/// The publisher that `pausable(runningWhile:)` returns.
@frozen
public struct PausablePublisher<Upstream: Publisher, Gate: Publisher>: Publisher
where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isRunning: Gate

  @inlinable
  init(upstream: Upstream, isRunning: Gate) {
    self.upstream = upstream
    self.isRunning = isRunning
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    WithLatestFromPublisher(upstream: upstream, other: isRunning)
      .receive(subscriber: CompactMapSubscriber(subscriber) { $0.1 ? $0.0 : nil }, as: "pausable(runningWhile:)")
  }
}

/// The publisher that `pausable(runningWhile:buffering:whenFull:)` returns.
@frozen
public struct PausableBufferPublisher<Upstream: Publisher, Gate: Publisher>: Publisher
where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let isRunning: Gate
  @usableFromInline let size: Int
  @usableFromInline let whenFull: OverflowStrategy<Upstream.Failure>

  @inlinable
  init(
    upstream: Upstream, isRunning: Gate, size: Int, whenFull: OverflowStrategy<Upstream.Failure>
  ) {
    require(size > 0, or: "pausable(buffering:) requires a size of at least 1, got \(size).")
    self.upstream = upstream
    self.isRunning = isRunning
    self.size = size
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let bound = Bound(size, whenFull, in: "pausable(runningWhile:buffering:whenFull: .wait)")
    let engine = PausableEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), bound)
    engine.attach(isRunning, slot: 1)
    engine.attach(upstream)
  }
}

extension PausablePublisher: Equatable where Upstream: Equatable, Gate: Equatable {}
extension PausablePublisher: Sendable where Upstream: Sendable, Gate: Sendable {}
