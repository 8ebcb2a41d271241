extension Publisher {
  /// Delivers values and the completion on a scheduler.
  ///
  ///     load().receive(on: DispatchQueue.main).sink { show($0) }
  ///
  /// ![values publishes a, b and c and finishes; queue is free and free; the result publishes a, b and c and finishes.](diagram-receive-on)
  ///
  /// Signals stay in order and never overlap, even on a concurrent queue. Closures from different sinks can overlap there, and
  /// the compiler doesn't check any state that they share. If you create a sink on an actor, its closures run on that actor.
  ///
  /// One scheduled action delivers all values that were waiting when it began. The subscription, demand and cancellation pass
  /// through unchanged, on the caller's thread. After cancellation, nothing is delivered, not even values that were waiting. On a
  /// scheduler that runs work immediately, values are delivered immediately.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes the same values, delivered on the scheduler.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable
  public __consuming func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.ReceiveOn<Self, S> {
    Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/receive(on:options:)`` returns.
  @frozen
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    @inlinable
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.receivingOn()
      let timing = Timing(scheduler, options)
      let outlet = engine.makeOutlet(for: subscriber, schedule: timing.makeSchedule())
      engine.attach(upstream, ReceiveOnSubscriber(engine, outlet, timing))
    }
  }
}

@usableFromInline @frozen
struct ReceiveOnSubscriber<Input, Failure: Error, Context: Engine.DeliveryContext>: EngineChild {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let place: Context

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Input, Failure>, _ place: Context) {
    self.engine = engine
    self.outlet = outlet
    self.place = place
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.enqueue(input, through: engine, drain: { place.drain(engine) })
    return .none
  }
}

extension Engine {
  @usableFromInline
  static func receivingOn() -> Engine { Engine(ReceiveOnMachine()) }
}

extension Publishers.ReceiveOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publisher {
  /// Attaches a subscriber that receives values and the completion on an actor.
  @inlinable
  func subscribe<S: Subscriber>(_ subscriber: S, on actor: any Actor) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.receivingOn()
    let place = ActorContext(actor)
    let outlet = engine.makeOutlet(for: subscriber, schedule: { engine, _ in place.drain(engine) })
    engine.attach(self, ReceiveOnSubscriber(engine, outlet, place))
  }
}
