extension Publisher {
  /// Delivers values and the completion on a scheduler.
  ///
  ///     titles.receive(on: DispatchQueue.main).sink { show($0) }
  ///
  /// ![values publishes a, b and c and finishes; queue is free and free; the result publishes a, b and c and finishes.](diagram-receive-on)
  ///
  /// Values and the completion stay in order and never overlap, even on a concurrent queue. Closures from different sinks can
  /// overlap there, and the compiler doesn't check any state that they share. If you create a sink on an actor, its closures
  /// run on that actor.
  ///
  /// Each scheduled action delivers all values that were waiting when it began. The subscription, demand and cancellation pass
  /// through unchanged, on the caller's thread. After cancellation, nothing is delivered, not even waiting values. A scheduler
  /// that runs work immediately delivers values immediately.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
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

    public let upstream: Upstream
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

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
  package func subscribe<S: Subscriber>(_ subscriber: S, at place: Place, _ bound: Bound? = nil)
  where S.Input == Output, S.Failure == Failure {
    ReceiveOnEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), place, bound).attach(self)
  }

  /// Attaches a subscriber that receives values and the completion on an actor.
  @inlinable
  package func subscribe<S: Subscriber>(_ subscriber: S, on actor: any Actor)
  where S.Input == Output, S.Failure == Failure { subscribe(subscriber, at: .actor(actor)) }
}

/// Delivers elements in order at a place (a scheduler or an actor). One action is scheduled at a time. It delivers all elements
/// that were waiting when it began.
///
/// Demand passes through. With a bound, the engine requests the bound's demand instead.
@usableFromInline
package final class ReceiveOnEngine: Engine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let place: Place
  @exclusivity(unchecked) private var source = SingleSource()
  /// The number of elements delivered since the last request to the source.
  @exclusivity(unchecked) private var vacated = 0

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: Place, _ bound: Bound?) {
    self.place = place
    super.init(receiver, layout, .deliversOnScheduler, bound)
    begin(receiver)
  }

  package override var name: String { "receive(on:)" }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    source.connected(subscription, requesting: reaction.bound?.demand ?? reaction.demand)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if reaction.isBounded { return receivedBounded(&reaction) }
    reaction.store()
    reaction.scheduleDelivery()
  }

  private func receivedBounded(_ reaction: inout Reaction) {
    switch makesRoom(&reaction) {
    case .free: reaction.store()
    case .freed(let offset): reaction.store(replacing: offset)
    // The bound ends the stream early, so waiting elements aren't delivered.
    case .full: if reaction.endsEarly { reaction.setReady(0) }
    }
    reaction.scheduleDelivery()
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    if !reaction.isBounded { reaction.request(more, from: source.subscription) }
    if reaction.waiting > 0, !reaction.isDelivering { reaction.scheduleDelivery() }
  }

  package override func deliveryBegins(_ reaction: inout Reaction) {
    if !reaction.endsEarly { reaction.setReady(reaction.waiting) }
  }

  package override func delivered(_ tag: Int, _ reaction: inout Reaction) {
    guard let bound = reaction.bound else { return }
    vacated &+= 1
    // Elements are requested in batches, because a request costs more than a delivery.
    guard vacated >= bound.size - vacated || reaction.waiting == 0 else { return }
    reaction.request(.max(vacated), from: source.subscription)
    vacated = 0
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }

  package override func cancelSources(_ reaction: inout Reaction) { source.cancel(&reaction) }

  package override func schedule(_ work: ScheduledWork) {
    noteSchedule()
    // `place` is accessed without the lock, because it's a constant. It isn't retained for the call, because the engine holds
    // it.
    Unmanaged.passUnretained(place)._withUnsafeGuaranteedRef { $0.deliver($0, self) }
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    source.tell(tell)
    place.tellPlace(tell)
  }
}
