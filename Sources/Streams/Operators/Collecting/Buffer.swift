extension Publisher {
  /// Buffers values that arrive before downstream requests them, up to a limit.
  ///
  ///     messages.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest)
  ///
  /// ![The source publishes a, b, c and d at 100, 300, 500 and 700 ms and finishes at 800 ms; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes a and b at 900 ms and 1.2 s and finishes.](diagram-buffer-dropNewest)
  ///
  /// ![The source publishes a, b, c and d at 100, 300, 500 and 700 ms and finishes at 800 ms; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes c and d at 900 ms and 1.2 s and finishes.](diagram-buffer-dropOldest)
  ///
  /// ![The source publishes a, b and c at 100, 300 and 500 ms and is cancelled; demand is 1 and unlimited at 900 ms and 1.2 s; the result publishes a and b at 900 ms and 1.2 s and fails.](diagram-buffer-customError)
  ///
  /// The prefetch strategy determines the requests to upstream:
  ///
  /// - `.keepFull` requests as many values as fit, and one more each time a value is delivered. With a size of 0, it requests
  ///   only what downstream requests. Once downstream requests unlimited demand, so does the operator.
  /// - `.byRequest` requests unlimited demand immediately.
  ///
  /// To make upstream wait while the buffer is full, use `.keepFull`, or `buffer(bounded:whenFull:)` from StreamAlgorithms with
  /// `.wait`.
  ///
  /// The `whenFull` strategy applies to a value when there's no room for it. A requested value that's only waiting for another
  /// delivery to end doesn't take up room and isn't dropped. Stored values are delivered before the stream ends, whether upstream
  /// finishes, upstream fails, or the stream fails because the buffer is full. In the last case, the operator cancels upstream
  /// immediately. Cancellation drops the stored values.
  ///
  /// The operator subscribes to upstream before it passes its own subscription downstream, without waiting for upstream's. Values
  /// that upstream sends immediately fill the buffer. A buffer of size 0 lets only requested values through.
  ///
  /// - Parameters:
  ///   - size: The maximum number of values to store while there's no demand. A negative number stops the program with a message.
  ///   - prefetch: The strategy for requesting values from upstream.
  ///   - whenFull: The strategy for handling a value that arrives when the buffer is full.
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
    /// Requests as many values as fit in the buffer.
    case keepFull

    /// Requests unlimited demand.
    case byRequest
  }

  /// A strategy for handling a value that arrives when a buffer is full.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the new value.
    case dropNewest

    /// Drops the oldest value and keeps the new one.
    case dropOldest

    /// Delivers the stored values, then calls the closure and fails with the error that it returns.
    case customError(() -> Failure)
  }

  /// The publisher that `buffer(size:prefetch:whenFull:)` returns.
  @frozen
  public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let size: Int
    public let prefetch: PrefetchStrategy
    public let whenFull: BufferingStrategy<Upstream.Failure>

    @inlinable
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Upstream.Failure>
    ) {
      requireNotNegative(size, in: "buffer(size:prefetch:whenFull:)", "a size")
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let bound = Bound(size, whenFull.overflow, whenFull.error, in: "buffer(size:prefetch:whenFull:)")
      upstream.subscribe(subscriber, buffering: bound, keepsFull: prefetch == .keepFull)
    }
  }
}

extension Publisher {
  /// Attaches a subscriber through a buffer. As in Combine, the buffer fills before downstream can request anything.
  @inlinable
  package func subscribe<S: Subscriber>(_ subscriber: S, buffering bound: Bound, keepsFull: Bool)
  where S.Input == Output, S.Failure == Failure {
    let receiver = SubscriberReceiver(subscriber)
    let engine = BufferEngine(receiver, ElementLayout(Output.self), bound, keepsFull: keepsFull)
    engine.holdBack()
    engine.attach(self)
    engine.begin(receiver)
    engine.deliver()
  }
}

extension Publishers.BufferingStrategy {
  @inlinable
  package var overflow: Overflow {
    switch self {
    case .dropNewest: .dropNewest
    case .dropOldest: .dropOldest
    case .customError: .fail
    }
  }

  /// The closure that returns the error, if the strategy is to fail.
  @inlinable
  package var error: (() -> any Error)? {
    if case .customError(let error) = self { { error() } } else { nil }
  }
}

/// Stores elements that haven't been requested yet, up to the bound.
@usableFromInline
package final class BufferEngine: Engine {
  /// The operator that an engine works for.
  @usableFromInline @frozen
  package enum Use {
    case buffer
    case groupBy
    case window
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  /// Indicates whether the engine requests only as many elements as fit.
  private let keepsFull: Bool
  /// Indicates whether the elements that wait for demand are delivered after the source has ended.
  private let keepsAtEnd: Bool
  private let use: Use
  @exclusivity(unchecked) private var source = SingleSource()
  /// Indicates whether the engine has requested unlimited demand from the source.
  @exclusivity(unchecked) private var hasAskedForAll = false

  /// Creates an engine that isn't sent downstream yet.
  @usableFromInline
  package init(
    _ receiver: Receiver, _ layout: ElementLayout, _ bound: Bound, keepsFull: Bool, keepsAtEnd: Bool = true,
    _ use: Use = .buffer
  ) {
    self.keepsFull = keepsFull
    self.keepsAtEnd = keepsAtEnd
    self.use = use
    super.init(receiver, layout, .tracksDeliveries, bound)
  }

  package override var name: String {
    switch use {
    case .buffer: "buffer"
    case .groupBy: "groupBy"
    case .window: "window(by:bufferSize:)"
    }
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    guard let bound = reaction.bound else { return nil }
    return source.connected(subscription, requesting: firstRequest(bound, reaction.demand))
  }

  private func firstRequest(_ bound: Bound, _ demand: Subscribers.Demand) -> Subscribers.Demand {
    if bound.overflow == .wait { return .max(bound.size) }
    hasAskedForAll = !keepsFull || demand == .unlimited
    return hasAskedForAll ? .unlimited : bound.size == 0 ? demand : .max(bound.size)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if reaction.canPass, reaction.bound?.overflow != .wait { return reaction.emit() }
    wait(&reaction)
  }

  private func wait(_ reaction: inout Reaction) {
    // There's always room for elements that have been requested.
    let promised = min(reaction.waiting, reaction.demand.max ?? reaction.waiting)
    let isWanted = promised == reaction.waiting && reaction.demand > .max(promised)
    switch isWanted ? .free : makesRoom(&reaction, promised: promised) {
    case .full: break
    case .free: reaction.enqueue()
    case .freed(let offset): reaction.enqueue(replacing: offset)
    }
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    guard let bound = reaction.bound, bound.overflow != .wait, !hasAskedForAll else { return }
    if reaction.demand == .unlimited {
      hasAskedForAll = source.subscription != nil
      reaction.request(.unlimited, from: source.subscription)
    } else if bound.size == 0 {
      reaction.request(more, from: source.subscription)
    }
  }

  package override func delivered(_ tag: Int, _ reaction: inout Reaction) {
    guard let bound = reaction.bound else { return }
    if bound.overflow == .wait || !hasAskedForAll && bound.size > 0 {
      reaction.request(.max(1), from: source.subscription)
    }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    if keepsAtEnd { reaction.finish(completion) } else { reaction.endEarly(with: completion) }
  }

  package override func cancelSources(_ reaction: inout Reaction) { source.cancel(&reaction) }

  package override func inspectContents(_ tell: StreamFact.Tell) { source.tell(tell) }
}
