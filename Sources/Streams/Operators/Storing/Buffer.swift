extension Publisher {
  /// Stores values that arrive without demand, up to a limit, and delivers them as downstream requests values.
  ///
  /// ![The source publishes a, b, c and d at 100, 300, 500 and 700 ms and finishes at 800 ms; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes a and b at 900 ms and 1.2 s and finishes.](diagram-buffer-dropNewest)
  ///
  /// ![The source publishes a, b, c and d at 100, 300, 500 and 700 ms and finishes at 800 ms; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes c and d at 900 ms and 1.2 s and finishes.](diagram-buffer-dropOldest)
  ///
  /// ![The source publishes a, b and c at 100, 300 and 500 ms and is cancelled; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes a and b at 900 ms and 1.2 s and fails.](diagram-buffer-customError)
  ///
  /// The prefetch strategy determines how many values the operator requests from upstream:
  ///
  /// - `.keepFull` requests as many values as fit, and one more each time a value is delivered. Once downstream has requested
  ///   unlimited demand, so does the operator.
  /// - `.byRequest` requests unlimited demand immediately.
  ///
  /// With `.wait` as `whenFull`, the operator always requests as many values as fit.
  ///
  /// The `whenFull` strategy determines how the operator handles a value when there's no room for it. A value that has been
  /// requested and is only waiting for another delivery to end takes up no room and isn't dropped. Stored values are delivered
  /// before the stream ends, whether upstream finishes, upstream fails, or the stream fails because the buffer is full. In the
  /// last case, the operator cancels upstream immediately. Cancellation drops the stored values.
  ///
  /// As in Combine, the operator subscribes to upstream and requests values before downstream receives its subscription. Values
  /// that upstream sends immediately fill the buffer. A buffer of size 0 lets only requested values through. Passing a negative
  /// `size` stops the program with a message.
  ///
  /// - Parameters:
  ///   - size: The maximum number of values to store while there is no demand. It must not be negative.
  ///   - prefetch: The strategy for requesting values from upstream.
  ///   - whenFull: The strategy for handling a value that arrives when the buffer is full.
  /// - Returns: A publisher that publishes the buffered values.
  /// - Complexity: Amortized O(1) for each value.
  @inlinable
  public __consuming func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }
}

extension Publishers {
  /// A strategy that determines how a buffer requests values from upstream.
  public enum PrefetchStrategy: Hashable, Sendable {
    /// Requests as many values as fit.
    case keepFull

    /// Requests unlimited demand.
    case byRequest
  }

  /// A strategy for handling a value that arrives when an operator has no more room for waiting values.
  ///
  /// Every `whenFull` parameter has this type. Combine has the first three cases.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the new value.
    case dropNewest

    /// Drops the oldest value and keeps the new one.
    case dropOldest

    /// Delivers the stored values, then fails with the error that the closure returns. The closure is called only then.
    case customError(() -> Failure)

    /// Requests no more values than there is room for, regardless of what downstream requests, so that upstream waits.
    ///
    /// Use it with publishers that wait for demand. Others, such as subjects, drop values that weren't requested.
    case wait

    /// Cancels upstream, drops the waiting values that haven't been requested, and finishes.
    case cancel

    /// Delivers the stored values, then fails with an error.
    ///
    /// - Parameter error: The error, which is created only then.
    /// - Returns: ``customError(_:)`` with the error.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func fail(_ error: @autoclosure @escaping () -> Failure) -> Self { .customError(error) }
  }

  /// The publisher that `buffer(size:prefetch:whenFull:)` returns.
  @frozen
  public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The maximum number of values to store while there is no demand.
    public let size: Int

    /// The strategy for requesting values from upstream.
    public let prefetch: PrefetchStrategy

    /// The strategy for handling a value that arrives when the buffer is full.
    public let whenFull: BufferingStrategy<Upstream.Failure>

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - size: The maximum number of values to store while there is no demand.
    ///   - prefetch: The strategy for requesting values from upstream.
    ///   - whenFull: The strategy for handling a value that arrives when the buffer is full.
    @inlinable
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Upstream.Failure>
    ) {
      requireNotNegative(size, in: "buffer(size:prefetch:whenFull:)", "a size")
      whenFull.requireRoom(size, in: "buffer(size:prefetch:whenFull:)")
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.buffer(size: size, prefetch: prefetch, whenFull.overflow)
      // As in Combine, the buffer fills before downstream can request anything.
      let outlet = SubscriberOutlet(subscriber)
      engine.install(outlet, holdsBack: true)
      outlet.keep(whenFull.error, for: engine)
      engine.attach(upstream, BufferSubscriber(engine, outlet))
      engine.begin(subscriber)
      engine.deliver()
    }
  }
}

extension Publishers.BufferingStrategy {
  @inlinable
  var overflow: Overflow {
    switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .customError: .fail
    case .wait: .wait
    case .cancel: .cancel
    }
  }

  /// Stops the program with a message if nothing could ever be requested.
  @inlinable
  func requireRoom(_ size: Int, in function: @autoclosure () -> String) {
    if case .wait = self {
      require(size > 0, or: "\(function()) with .wait requires a size of at least 1, got \(size).")
    }
  }

  /// The closure that returns the error of a stream that fails because the buffer is full.
  @inlinable
  var error: (() -> Failure)? {
    switch self {
    case .dropNewest, .dropOldest, .wait, .cancel: nil
    case .customError(let error): error
    }
  }
}

@usableFromInline @frozen
struct BufferSubscriber<Input, Failure: Error>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Input, Failure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    if !outlet.sendDirect(input, from: 0, through: engine) {
      outlet.leave(input, through: engine) { engine.machine.received(from: 0, &$0) }
    }
    return .none
  }
}

extension OldEngine {
  @usableFromInline
  static func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, _ overflow: Overflow, keepsAtEnd: Bool = true
  ) -> OldEngine {
    OldEngine(
      BufferMachine(size: size, keepsFull: prefetch == .keepFull, overflow: overflow, keepsAtEnd: keepsAtEnd))
  }
}
