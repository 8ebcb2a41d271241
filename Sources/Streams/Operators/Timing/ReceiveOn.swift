extension Publisher {
  /// Delivers values and the completion on a scheduler.
  ///
  ///     titles.receive(on: DispatchQueue.main).sink { show($0) }
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
      upstream.subscribe(subscriber, at: SchedulerPlace(scheduler, options))
    }
  }
}

extension Publishers.ReceiveOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publisher {
  /// Attaches a subscriber that receives values and the completion at a place: on a scheduler or an actor.
  @inlinable @inline(__always)
  package func subscribe<S: Subscriber, Place: DeliveryPlace>(
    _ subscriber: S, at place: Place, _ bound: Bound<Failure>? = nil
  ) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.make(ReceiveOnMachine<Output, Failure, Place>(place), bound, for: subscriber)
    engine.attach(self)
  }

  /// Attaches a subscriber that receives values and the completion on an actor.
  @inlinable
  package func subscribe<S: Subscriber>(_ subscriber: S, on actor: any Actor)
  where S.Input == Output, S.Failure == Failure {
    subscribe(subscriber, at: ActorPlace(actor))
  }
}

/// Delivers elements in order at a place. One scheduled action at a time delivers all that waited when it began.
///
/// Demand passes through. With a bound, it does not: as many elements are requested as there is room for, or all.
@usableFromInline @frozen
package struct ReceiveOnMachine<Element, Failure: Error, Place: DeliveryPlace>: SlotMachine {
  @usableFromInline package typealias Output = Element

  @usableFromInline package let place: Place
  @usableFromInline package var source = SingleSource()
  /// The number of elements that have been delivered, and for which no others have been requested.
  @usableFromInline package var vacated = 0

  @inlinable @inline(never)
  package init(_ place: Place) { self.place = place }

  @inlinable package var name: String { "receive(on:)" }
  @inlinable package static var traits: Gate.Traits { .deliversOnScheduler }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    source.connected(subscription, requesting: reaction.bound?.demand ?? reaction.demand)
  }

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if reaction.isBounded { return receivedBounded(element, &reaction) }
    reaction.store(element)
    reaction.scheduleDelivery()
  }

  @inlinable @inline(never)
  package mutating func receivedBounded(_ element: Element, _ reaction: inout Reaction<Output, Failure>) {
    if makesRoom(&reaction) {
      reaction.store(element)
    } else if reaction.endsEarly {
      // The bound cancels the stream: nothing that waits is delivered.
      reaction.setReady(0)
    }
    reaction.scheduleDelivery()
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    if !reaction.isBounded { reaction.request(more, from: source.subscription) }
    if reaction.waiting > 0 { reaction.scheduleDelivery() }
  }

  @inlinable
  package mutating func deliveryBegins(_ reaction: inout Reaction<Output, Failure>) {
    if !reaction.endsEarly { reaction.setReady(reaction.waiting) }
  }

  @inlinable
  package mutating func delivered(_ tag: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard let bound = reaction.bound else { return }
    vacated &+= 1
    // In batches, because a request costs more than a delivery.
    guard vacated >= bound.size - vacated || reaction.waiting == 0 else { return }
    reaction.request(.max(vacated), from: source.subscription)
    vacated = 0
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) { source.cancel(&reaction) }

  @inlinable @inline(never)
  package static func schedule(_ work: ScheduledWork, for engine: Engine<ReceiveOnMachine>) {
    engine.noteSchedule()
    // Without the lock, because it is a constant.
    engine.machine.place.schedule(engine)
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    source.tell(tell)
    place.tellPlace(tell)
  }
}
