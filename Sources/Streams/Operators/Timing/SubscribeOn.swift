internal import Synchronization

extension Publisher {
  /// Subscribes to this publisher, requests its values and cancels the subscription on a scheduler.
  ///
  ///     load().subscribe(on: queue)
  ///
  /// ![values, subscribed to at 300 ms, publishes a, b and c and finishes; queue is free and free; the result publishes a, b and c and finishes.](diagram-subscribe-on)
  ///
  /// The subscription reaches downstream immediately. If you cancel it before the scheduler begins, the operator never subscribes
  /// to upstream. Demand that you request before then reaches upstream after the subscription.
  ///
  /// Values and the completion pass through unchanged, on the thread on which they arrive. After cancellation, nothing is
  /// delivered, even if the scheduler hasn't run the cancellation yet.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which upstream receives subscriptions, requests and cancellations.
  ///   - options: The options to use when scheduling these actions.
  /// - Complexity: O(1) for each value and request, plus the scheduler's own work.
  @inlinable
  public __consuming func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/subscribe(on:options:)`` returns.
  @frozen
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
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
      SubscribeOnSubscriber(subscriber).begin(upstream, on: scheduler, options)
    }
  }
}

@usableFromInline @_fixed_layout
package final class SubscribeOnSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline package typealias Input = Downstream.Input
  @usableFromInline package typealias Failure = Downstream.Failure
  @usableFromInline package let downstream: Downstream
  @usableFromInline package let subscription = SubscribeOnSubscription()

  @inlinable
  package init(_ downstream: Downstream) { self.downstream = downstream }

  /// Subscribes to a publisher and retains it until that's done.
  @inlinable
  package func begin<Upstream: Publisher, Context: Scheduler>(
    _ upstream: Upstream, on scheduler: Context, _ options: Context.SchedulerOptions?
  ) where Upstream.Output == Input, Upstream.Failure == Failure {
    downstream.receive(subscription: subscription)
    guard subscription.begin({ scheduler.schedule(options: options, $0) }) else { return }
    scheduler.schedule(
      options: options,
      ContextSnapshot.following {
        if self.subscription.isActive { upstream.subscribe(self) }
      })
  }

  @inlinable
  package func receive(subscription upstream: any Subscription) { _ = subscription.link.connect(upstream) }

  @inlinable
  package func receive(_ input: Input) -> Subscribers.Demand {
    guard subscription.isActive else { return .none }
    let demand = downstream.receive(input)
    if demand != .none { subscription.request(demand) }
    return .none
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    if subscription.isActive, subscription.link.finish() { downstream.receive(completion: completion) }
  }
}

extension SubscribeOnSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("subscribe(on:)", to: Downstream.self)
  }
}

/// Forwards requests and cancellation through a scheduler.
@usableFromInline
package final class SubscribeOnSubscription: Locked<SubscribeOnSubscription.State>, Subscription {
  @usableFromInline
  package struct State {
    fileprivate var schedule: Schedule?
    /// Indicates whether the scheduler has yet to subscribe to upstream. Until then, the link stores requests.
    fileprivate var hasYetToSubscribe = true
  }

  /// The function that schedules work. The struct is needed, because Swift wraps a bare closure in another one each time it
  /// leaves generic code, which would add a call to every later request.
  fileprivate struct Schedule {
    let run: (@escaping () -> Void) -> Void
  }

  @usableFromInline package let link = UpstreamLink()
  private let isCancelled = Atomic(false)

  @usableFromInline
  package init() { super.init(State()) }

  @usableFromInline
  package var isActive: Bool { link.isForwarding && !isCancelled.load(ordering: .relaxed) }

  /// Passes requests and cancellation through a scheduler from now on. Returns `false` if the subscription has been cancelled.
  @usableFromInline
  package func begin(_ schedule: @escaping (@escaping () -> Void) -> Void) -> Bool {
    withLock { state in
      guard state.hasYetToSubscribe else { return false }
      state = State(schedule: Schedule(run: schedule), hasYetToSubscribe: false)
      return true
    }
  }

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let (schedule, hasYetToSubscribe) = withLock { ($0.schedule, $0.hasYetToSubscribe) }
    if hasYetToSubscribe { return link.request(demand) }
    schedule?.run(ContextSnapshot.following { [link] in link.request(demand) })
  }

  @usableFromInline
  package func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let (schedule, hasYetToSubscribe) = withLock { state in
      defer { state = State(hasYetToSubscribe: false) }
      return (state.schedule, state.hasYetToSubscribe)
    }
    if hasYetToSubscribe { return link.cancel() }
    schedule?.run(ContextSnapshot.following { [link] in link.cancel() })
  }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}
