extension Publisher {
  /// Keeps values that downstream does not want yet.
  ///
  /// ![Marble diagram of buffer that drops the newest value](diagram-buffer-dropNewest)
  ///
  /// ![Marble diagram of buffer that drops the oldest value](diagram-buffer-dropOldest)
  ///
  /// ![Marble diagram of buffer that fails when it is full](diagram-buffer-customError)
  ///
  /// With `.keepFull` upstream is asked for as many values as fit, and for another one whenever one has been delivered;
  /// with `.byRequest` it is asked for everything. `whenFull` says what becomes of a value for which there is no room.
  /// Every end waits for the values that are kept: a completion, a failure of upstream, and a failure for want of room,
  /// which cancels upstream at once.
  ///
  /// - Precondition: `size` is positive.
  @inlinable
  public __consuming func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(
      upstream: self, size: size, prefetch: prefetch,
      whenFull: isolation.checking(whenFull, fileID, filePath, line, column))
  }
}

extension Publishers {
  /// How a buffer asks upstream for values.
  public enum PrefetchStrategy: Hashable, Sendable {
    /// It asks for as many as fit.
    case keepFull

    /// It asks for everything.
    case byRequest
  }

  /// What becomes of a value that finds a buffer full.
  public enum BufferingStrategy<Failure: Error> {
    /// It is lost.
    case dropNewest

    /// It takes the place of the oldest one, which is lost.
    case dropOldest

    /// The stream delivers what is kept and then fails with this error. The closure is called when it does.
    case customError(() -> Failure)
  }

  /// The publisher of `buffer(size:prefetch:whenFull:)`.
  @frozen
  public struct Buffer<Upstream: Publisher>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are kept.
    public let upstream: Upstream

    /// How many values are kept.
    public let size: Int

    /// How upstream is asked for values.
    public let prefetch: PrefetchStrategy

    /// What becomes of a value for which there is no room.
    public let whenFull: BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    @inlinable
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Upstream.Failure>
    ) {
      require(size > 0, or: "buffer(size: \(size)): there must be room for a value. Make the size at least one.")
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.buffer(size: size, prefetch: prefetch, whenFull.overflow)
      let outlet = engine.makeOutlet(for: subscriber)
      outlet.keep(whenFull.error, for: engine)
      if !engine.isOver { engine.attach(upstream, BufferSubscriber(engine, outlet)) }
    }
  }
}

extension Publishers.BufferingStrategy {
  @inlinable
  var overflow: BufferMachine.Overflow {
    switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .customError: .fail
    }
  }

  /// What makes the error of a stream that ends for want of room.
  @inlinable
  var error: (() -> Failure)? {
    switch self {
    case .dropNewest, .dropOldest: nil
    case .customError(let error): error
    }
  }
}

extension (any Actor)? {
  /// Checks the calls of the closure that makes the error, if there is one.
  @inlinable
  func checking<Failure: Error>(
    _ strategy: Publishers.BufferingStrategy<Failure>, _ fileID: StaticString, _ filePath: StaticString, _ line: UInt,
    _ column: UInt, _ function: StaticString = #function
  ) -> Publishers.BufferingStrategy<Failure> {
    guard let error = strategy.error else { return strategy }
    return .customError(checking(error, fileID, filePath, line, column, function))
  }
}

@usableFromInline @frozen
struct BufferSubscriber<Input, Failure: Error>: OnlyChild {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Input, Failure>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Input, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if outlet.sendDirect(input, from: 0, through: engine) { return .none }
    // The value that is displaced dies outside the lock.
    var displaced: Input?
    engine.receive(
      from: 0, store: { outlet.queue.append(input) },
      displace: { displaced = outlet.queue.popFirst() })
    _ = displaced
    return .none
  }
}

extension Engine {
  @usableFromInline
  static func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, _ overflow: BufferMachine.Overflow
  ) -> Engine {
    Engine(BufferMachine(size: size, keepsFull: prefetch == .keepFull, overflow: overflow))
  }
}
