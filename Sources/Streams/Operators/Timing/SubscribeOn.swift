internal import Synchronization

extension Publisher {
  /// Subscribes to this publisher, requests values and cancels on a scheduler, in that order.
  ///
  /// ![values, subscribed to at 300 ms, publishes a, b and c and finishes; queue is free and free; the result, subscribed at 300 ms, publishes a, b and c and finishes.](diagram-subscribe-on)
  ///
  /// Values and the completion pass through unchanged, on the thread on which they arrive. After cancellation nothing
  /// is delivered, even before the scheduler has run the cancellation.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which upstream receives subscriptions, requests and cancellations.
  ///   - options: The options with which these actions are scheduled.
  /// - Returns: A publisher of the same values.
  /// - Complexity: O(1) for each value and request, besides the scheduler's own work.
  @inlinable
  public __consuming func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/subscribe(on:options:)``.
  @frozen
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The scheduler on which upstream receives subscriptions, requests and cancellations.
    public let scheduler: Context

    /// The options with which these actions are scheduled.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - scheduler: The scheduler on which upstream receives the subscriber, requests and the cancellation.
    ///   - options: The options with which these actions are scheduled.
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
final class SubscribeOnSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let subscription = SubscribeOnSubscription()

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  /// Subscribes to a publisher, which is retained until that is done.
  @inlinable
  func begin<Upstream: Publisher, Context: Scheduler>(
    _ upstream: Upstream, on scheduler: Context, _ options: Context.SchedulerOptions?
  ) where Upstream.Output == Input, Upstream.Failure == Failure {
    subscription.install { scheduler.schedule(options: options, $0) }
    scheduler.schedule(options: options, ContextSnapshot.following { upstream.subscribe(self) })
  }

  @inlinable
  func receive(subscription upstream: any Subscription) {
    if subscription.link.connect(upstream) { downstream.receive(subscription: subscription) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard subscription.isActive else { return .none }
    let demand = downstream.receive(input)
    if demand != .none { subscription.request(demand) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if subscription.isActive, subscription.link.finish() { downstream.receive(completion: completion) }
  }
}

/// Forwards requests and cancellation through a scheduler.
@usableFromInline
final class SubscribeOnSubscription: Locked<SubscribeOnSubscription.Schedule?>, Subscription {
  /// The function that schedules work; wrapped in a struct, because a bare closure that leaves generic code is wrapped
  /// in another closure each time, which would add a call to all later requests.
  @usableFromInline
  struct Schedule {
    let run: (@escaping () -> Void) -> Void
  }

  @usableFromInline let link = UpstreamLink()
  private let isCancelled = Atomic(false)

  @usableFromInline
  init() { super.init(nil) }

  @usableFromInline
  var isActive: Bool { link.isForwarding && !isCancelled.load(ordering: .relaxed) }

  @usableFromInline
  func install(_ schedule: @escaping (@escaping () -> Void) -> Void) {
    withLock { $0 = Schedule(run: schedule) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let schedule = withLock { $0 }
    schedule?.run(ContextSnapshot.following { [link] in link.request(demand) })
  }

  @usableFromInline
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let schedule = withLock { $0.take() }
    schedule?.run(ContextSnapshot.following { [link] in link.cancel() })
  }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}
