extension Publisher {
  /// Passes on values while the newest value of another publisher is `true`, and drops them while it is `false`.
  ///
  ///     ticks.pausable(by: $isRunning)
  ///
  /// ![Marble diagram of pausable(by:)](diagram-pausable)
  ///
  /// It is paused until the other publisher has sent `true`. A value that is dropped gives its demand back. It finishes
  /// when this publisher does, or when the other one finishes without a value; else what that sent last stays in force.
  /// It fails as soon as one of them does.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(by isRunning: P) -> Publishers.Pausable<Self, P>
  where P.Output == Bool, P.Failure == Failure { Publishers.Pausable(upstream: self, isRunning: isRunning) }

  /// Like ``pausable(by:)``, for another publisher that cannot fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    by isRunning: P
  ) -> Publishers.Pausable<Self, Publishers.SetFailureType<P, Failure>> where P.Output == Bool, P.Failure == Never {
    pausable(by: isRunning.setFailureType(to: Failure.self))
  }

  /// Like ``pausable(by:)``, where neither publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(by isRunning: P) -> Publishers.Pausable<Self, P>
  where P.Output == Bool, Failure == Never, P.Failure == Never {
    Publishers.Pausable(upstream: self, isRunning: isRunning)
  }

  /// Passes on values while the newest value of another publisher is `true`, and keeps them while it is `false`.
  ///
  ///     messages.pausable(by: $isConnected, buffering: 100, whenFull: .dropOldest)
  ///
  /// ![Marble diagram of pausable(by:buffering:whenFull:)](diagram-pausable-buffering)
  ///
  /// It is paused until the other publisher has sent `true`. Both publishers are asked for everything. At most `size`
  /// values wait, because of the pause or because downstream does not want them yet; `whenFull` says what becomes of
  /// one for which there is no room. With `.customError` such a value ends the pause: what is kept is delivered, and
  /// then the failure.
  ///
  /// When this publisher ends, what waits is delivered before the end. When the other one finishes while it is paused,
  /// nothing can follow: what waits is dropped, and the stream ends. When the other one fails, so does the stream, and
  /// what a pause holds back is dropped.
  ///
  /// - Precondition: `size` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    by isRunning: P, buffering size: Int, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.PausableBuffer<Self, P> where P.Output == Bool, P.Failure == Failure {
    Publishers.PausableBuffer(
      upstream: self, isRunning: isRunning, size: size,
      whenFull: isolation.checking(whenFull, fileID, filePath, line, column))
  }

  /// Like `pausable(by:buffering:whenFull:)`, for another publisher that cannot fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    by isRunning: P, buffering size: Int, isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.PausableBuffer<Self, Publishers.SetFailureType<P, Failure>>
  where P.Output == Bool, P.Failure == Never {
    pausable(
      by: isRunning.setFailureType(to: Failure.self), buffering: size, isolation: isolation, fileID: fileID,
      filePath: filePath, line: line, column: column, whenFull: whenFull)
  }

  /// Like `pausable(by:buffering:whenFull:)`, where neither publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func pausable<P: Publisher>(
    by isRunning: P, buffering size: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.PausableBuffer<Self, P> where P.Output == Bool, Failure == Never, P.Failure == Never {
    Publishers.PausableBuffer(upstream: self, isRunning: isRunning, size: size, whenFull: whenFull)
  }
}

extension Publishers {
  /// The publisher of `pausable(by:)`.
  @frozen
  public struct Pausable<Upstream: Publisher, Gate: Publisher>: Publisher
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// The publisher that says whether they are.
    public let isRunning: Gate

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, isRunning: Gate) {
      self.upstream = upstream
      self.isRunning = isRunning
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      WithLatestFrom(upstream: upstream, other: isRunning).compactMap { $0.1 ? $0.0 : nil }
        .receive(subscriber: subscriber)
    }
  }

  /// The publisher of `pausable(by:buffering:whenFull:)`.
  @frozen
  public struct PausableBuffer<Upstream: Publisher, Gate: Publisher>: Publisher
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// The publisher that says whether they are.
    public let isRunning: Gate

    /// How many values are kept.
    public let size: Int

    /// What becomes of a value for which there is no room.
    public let whenFull: BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, isRunning: Gate, size: Int, whenFull: BufferingStrategy<Upstream.Failure>) {
      require(size > 0, or: "pausable(buffering: \(size)): there must be room for a value. Make the size at least one.")
      self.upstream = upstream
      self.isRunning = isRunning
      self.size = size
      self.whenFull = whenFull
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.pausable(size: size, whenFull.overflow)
      let outlet = engine.makeOutlet(for: subscriber)
      outlet.keep(whenFull.error, for: engine)
      if !engine.isOver { engine.attach(isRunning, GateSubscriber(engine, outlet)) }
      if !engine.isOver { engine.attach(upstream, BufferSubscriber(engine, outlet)) }
    }
  }
}

/// The subscriber of the publisher that opens and closes the buffer.
@usableFromInline @frozen
struct GateSubscriber<Output, Failure: Error>: Subscriber {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Output, Failure>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Output, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: PausableMachine.gate) }

  @inlinable
  func receive(_ isRunning: Bool) -> Subscribers.Demand {
    engine.receive(from: isRunning ? PausableMachine.opens : PausableMachine.closes, store: {})
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(PausableMachine.gate, with: completion, through: engine)
  }
}

extension Engine {
  @usableFromInline
  static func pausable(size: Int, _ overflow: BufferMachine.Overflow) -> Engine {
    Engine(PausableMachine(size: size, overflow: overflow))
  }
}

extension Publishers.Pausable: Equatable where Upstream: Equatable, Gate: Equatable {}
extension Publishers.Pausable: Sendable where Upstream: Sendable, Gate: Sendable {}
