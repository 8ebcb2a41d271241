extension Publisher {
  /// Publishes values while the latest value of another publisher is `true`, and drops them while it is `false`.
  ///
  ///     ticks.pausable(runningWhile: $isRunning)
  ///
  /// ![values publishes a, b, c and d and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b and c and finishes.](diagram-pausable)
  ///
  /// The stream is paused until the other publisher has sent `true`. A dropped value returns its demand to upstream. The
  /// other publisher receives unlimited demand. As with `withLatest(from:)`, nothing is requested from this publisher before
  /// the other has sent a value. The stream finishes when this publisher finishes, or when the other one finishes without a
  /// value. Otherwise the last value of the other publisher remains in force. The stream fails as soon as either fails. The
  /// remaining publisher is then cancelled.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher of the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> ExtendedPublishers.Pausable<Self, P>
  where P.Output == Bool, P.Failure == Failure { ExtendedPublishers.Pausable(upstream: self, isRunning: isRunning) }

  /// Drops values while paused, like ``pausable(runningWhile:)``, with a second publisher that can't fail.
  ///
  /// Handles demand, completion and cancellation like the overload with equal failure types.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher of the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P
  ) -> ExtendedPublishers.Pausable<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self))
  }

  /// Drops values while paused, like ``pausable(runningWhile:)``, if neither publisher can fail.
  ///
  /// Handles demand, completion and cancellation like the overload with equal failure types.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher of the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> ExtendedPublishers.Pausable<Self, P>
  where P.Output == Bool, Failure == Never, P.Failure == Never {
    ExtendedPublishers.Pausable(upstream: self, isRunning: isRunning)
  }

  /// Publishes values while the latest value of another publisher is `true`, and buffers them while it is `false`.
  ///
  ///     messages.pausable(runningWhile: $isConnected, buffering: 100, whenFull: .dropOldest)
  ///
  /// ![values publishes a, b, c, d and e and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b, c, d and e and finishes.](diagram-pausable-buffering)
  ///
  /// The stream is paused until the other publisher has sent `true`. The operator requests unlimited demand from both
  /// publishers. With `.wait`, it requests as many values from this one as there is room for. At most `size` values are
  /// buffered, because of a pause or for lack of downstream demand. `whenFull` decides what happens to a value for which
  /// there is no room. With `.customError`, such a value ends the pause: the buffered values are delivered, and then the
  /// failure.
  ///
  /// When this publisher finishes or fails, the buffered values are delivered before its completion. During a pause, both
  /// wait for the next `true`. When the other publisher finishes during a pause, no value can follow. The buffered values are
  /// dropped and the stream ends. When the other publisher fails, the stream fails, and values held back by a pause are
  /// dropped.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values, those that arrive during a pause after it.
  /// - Precondition: `size` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.PausableBuffer<Self, P> where P.Output == Bool, P.Failure == Failure {
    ExtendedPublishers.PausableBuffer(upstream: self, isRunning: isRunning, size: size, whenFull: whenFull)
  }

  /// Buffers values while paused, like `pausable(runningWhile:buffering:whenFull:)`, with a second publisher that can't fail.
  ///
  /// Handles demand, completion and cancellation like the overload with equal failure types.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values, those that arrive during a pause after it.
  /// - Precondition: `size` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.PausableBuffer<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self), buffering: size, whenFull: whenFull)
  }

  /// Buffers values while paused, like `pausable(runningWhile:buffering:whenFull:)`, if neither publisher can fail.
  ///
  /// Handles demand, completion and cancellation like the overload with equal failure types.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for a value for which there is no room.
  /// - Returns: A publisher of the values, those that arrive during a pause after it.
  /// - Precondition: `size` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.PausableBuffer<Self, P> where P.Output == Bool, Failure == Never, P.Failure == Never {
    ExtendedPublishers.PausableBuffer(upstream: self, isRunning: isRunning, size: size, whenFull: whenFull)
  }
}

extension ExtendedPublishers {
  /// The publisher of `pausable(runningWhile:)`.
  @frozen
  public struct Pausable<Upstream: Publisher, Gate: Publisher>: Publisher
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed through or dropped.
    public let upstream: Upstream

    /// The publisher that resumes the stream with `true` and pauses it with `false`.
    public let isRunning: Gate

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are passed through or dropped.
    ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
    @inlinable
    public init(upstream: Upstream, isRunning: Gate) {
      self.upstream = upstream
      self.isRunning = isRunning
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      WithLatestFrom(upstream: upstream, other: isRunning).compactMap { $0.1 ? $0.0 : nil }
        .receive(subscriber: subscriber)
    }
  }

  /// The publisher of `pausable(runningWhile:buffering:whenFull:)`.
  @frozen
  public struct PausableBuffer<Upstream: Publisher, Gate: Publisher>: Publisher
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed through or buffered.
    public let upstream: Upstream

    /// The publisher that resumes the stream with `true` and pauses it with `false`.
    public let isRunning: Gate

    /// The maximum number of buffered values.
    public let size: Int

    /// The strategy for a value for which there is no room.
    public let whenFull: Publishers.BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are passed through or buffered.
    ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
    ///   - size: The maximum number of buffered values.
    ///   - whenFull: The strategy for a value for which there is no room.
    @inlinable
    public init(
      upstream: Upstream, isRunning: Gate, size: Int, whenFull: Publishers.BufferingStrategy<Upstream.Failure>
    ) {
      require(size > 0, or: "pausable(buffering:) requires a size of at least 1, got \(size).")
      self.upstream = upstream
      self.isRunning = isRunning
      self.size = size
      self.whenFull = whenFull
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.pausable(size: size, whenFull.overflow)
      let outlet = engine.makeOutlet(for: subscriber)
      outlet.keep(whenFull.error, for: engine)
      engine.attach(isRunning, GateSubscriber(engine, outlet))
      engine.attach(upstream, BufferSubscriber(engine, outlet))
    }
  }
}

/// The subscriber of the gate, the publisher that opens and closes the buffer.
@usableFromInline @frozen
struct GateSubscriber<Output, Failure: Error>: EngineChild {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Output, Failure>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Output, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var slot: Machine.Slot { PausableMachine.gate }

  @inlinable
  func receive(_ isRunning: Bool) -> Subscribers.Demand {
    let machine = unsafeDowncast(engine.machine, to: PausableMachine.self)
    engine.transition { _ in machine.setOpen(isRunning) }
    return .none
  }
}

extension Engine {
  @usableFromInline
  static func pausable(size: Int, _ overflow: Overflow) -> Engine {
    Engine(PausableMachine(size: size, overflow: overflow))
  }
}

extension ExtendedPublishers.Pausable: Equatable where Upstream: Equatable, Gate: Equatable {}
extension ExtendedPublishers.Pausable: Sendable where Upstream: Sendable, Gate: Sendable {}
