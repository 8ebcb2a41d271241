extension Publisher {
  /// Publishes values while the latest value from another publisher is `true`, and drops them while it's `false`.
  ///
  ///     ticks.pausable(runningWhile: $isRunning)
  ///
  /// ![values publishes a, b, c and d and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b and c and finishes.](diagram-pausable)
  ///
  /// The stream is paused until the other publisher has sent `true`. A dropped value doesn't use up demand: the operator
  /// requests another in its place. It requests unlimited demand from the other publisher. As with `withLatest(from:)`, it
  /// requests nothing from this publisher before the other has sent a value. The stream finishes when this publisher finishes,
  /// or when the other one finishes without a value. If the other one finishes later, its last value remains in effect. The
  /// stream fails as soon as either fails. The operator then cancels the publisher that is still running.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher that publishes the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> ExtendedPublishers.Pausable<Self, P>
  where P.Output == Bool, P.Failure == Failure { ExtendedPublishers.Pausable(upstream: self, isRunning: isRunning) }

  /// Drops values while paused, like ``pausable(runningWhile:)``, with a second publisher that can't fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher that publishes the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P
  ) -> ExtendedPublishers.Pausable<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self))
  }

  /// Drops values while paused, like ``pausable(runningWhile:)``, where neither publisher can fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  /// - Returns: A publisher that publishes the values that arrive while the stream isn't paused.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(runningWhile isRunning: P) -> ExtendedPublishers.Pausable<Self, P>
  where P.Output == Bool, Failure == Never, P.Failure == Never {
    ExtendedPublishers.Pausable(upstream: self, isRunning: isRunning)
  }

  /// Publishes values while the latest value from another publisher is `true`, and buffers them while it's `false`.
  ///
  ///     messages.pausable(runningWhile: $isConnected, buffering: 100, whenFull: .dropOldest)
  ///
  /// ![values publishes a, b, c, d and e and finishes; isRunning publishes true, false and true and is cancelled; the result publishes b, c, d and e and finishes.](diagram-pausable-buffering)
  ///
  /// The stream is paused until the other publisher has sent `true`. The operator requests unlimited demand from both
  /// publishers. With `.wait`, it requests only as many values from this one as there's room for. At most `size` values are
  /// buffered, either during a pause or because there's no downstream demand. `whenFull` determines what happens to a value
  /// when there's no room for it. With `.customError`, such a value ends the pause: the buffered values are delivered, followed
  /// by the failure.
  ///
  /// When this publisher finishes or fails, the buffered values are delivered before the completion. During a pause, the values
  /// and the completion wait for the next `true`. If the other publisher finishes during a pause, nothing can end the pause, so
  /// the buffered values are dropped and the stream ends. If the other publisher fails, the stream fails, and values held back
  /// by a pause are dropped.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes all values, including those that arrive during a pause.
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
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes all values, including those that arrive during a pause.
  /// - Precondition: `size` is positive.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    runningWhile isRunning: P, buffering size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> ExtendedPublishers.PausableBuffer<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(runningWhile: isRunning.setFailureType(to: Failure.self), buffering: size, whenFull: whenFull)
  }

  /// Buffers values while paused, like `pausable(runningWhile:buffering:whenFull:)`, where neither publisher can fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameters:
  ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
  ///   - size: The maximum number of buffered values.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that publishes all values, including those that arrive during a pause.
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
  /// The publisher that `pausable(runningWhile:)` returns.
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

  /// The publisher that `pausable(runningWhile:buffering:whenFull:)` returns.
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

    /// The strategy for handling a value when there's no room for it.
    public let whenFull: Publishers.BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are passed through or buffered.
    ///   - isRunning: The publisher that resumes the stream with `true` and pauses it with `false`.
    ///   - size: The maximum number of buffered values.
    ///   - whenFull: The strategy for handling a value when there's no room for it.
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
      let engine = OldEngine.pausable(size: size, whenFull.overflow)
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
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Output, Failure>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Output, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var slot: OldMachine.Slot { PausableMachine.gate }

  @inlinable
  func receive(_ isRunning: Bool) -> Subscribers.Demand {
    let machine = unsafeDowncast(engine.machine, to: PausableMachine.self)
    engine.transition { _ in machine.setOpen(isRunning) }
    return .none
  }
}

extension OldEngine {
  @usableFromInline
  static func pausable(size: Int, _ overflow: Overflow) -> OldEngine {
    OldEngine(PausableMachine(size: size, overflow: overflow))
  }
}

extension ExtendedPublishers.Pausable: Equatable where Upstream: Equatable, Gate: Equatable {}
extension ExtendedPublishers.Pausable: Sendable where Upstream: Sendable, Gate: Sendable {}
