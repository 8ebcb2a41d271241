extension Publisher {
  /// Publishes the latest value after a period in which no other value arrives.
  ///
  ///     queries.debounce(for: .milliseconds(200), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b, c and d at 100, 200, 700 and 800 ms and finishes at 900 ms; the result publishes b at 400 ms and finishes at 900 ms.](diagram-debounce)
  ///
  /// The operator requests unlimited demand from upstream. If a value is due while there's no demand, it isn't delivered, and the
  /// next one replaces it. When upstream completes, the waiting value is dropped. Values and the completion are delivered on the
  /// scheduler. At most one action is pending at any time. Cancellation removes it.
  ///
  /// - Parameters:
  ///   - dueTime: The period in which no other value may arrive.
  ///   - scheduler: The scheduler that measures the period and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  @inlinable
  public __consuming func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/debounce(for:scheduler:options:)`` returns.
  @frozen
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let dueTime: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

    @inlinable
    public init(
      upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.dueTime = dueTime
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      DebounceEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), SchedulerClock(scheduler, options, dueTime)
      ).attach(upstream)
    }
  }
}

/// Delivers the newest element once none has arrived for an interval.
///
/// At most one element waits, and at most one timer is armed. If a newer element arrives while the timer is armed, the timer is
/// armed again when it fires.
@usableFromInline
package final class DebounceEngine: TimedEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  /// The time at which the newest element arrived.
  @exclusivity(unchecked) private var arrival: Instant?
  /// Indicates whether an element has replaced another since the timer was armed.
  @exclusivity(unchecked) private var isReplaced = false

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace) {
    super.init(receiver, layout, .timesElements, place)
    begin(receiver)
  }

  package override var name: String { "debounce" }

  package override var date: Instant? { arrival.map { place.ask(.later($0)) } }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { source.connected(subscription, requesting: .unlimited) }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    arrival = reaction.now
    if reaction.hasCandidate {
      isReplaced = true
      reaction.replaceNewest()
    } else {
      reaction.store()
    }
    if !timer.isArmed { arm(&reaction) }
  }

  private func arm(_ reaction: inout Reaction) {
    isReplaced = false
    timer.arm(&reaction)
  }

  package override func isDue(_ reaction: inout Reaction) {
    if isReplaced { return arm(&reaction) }
    armedDate = nil
    // Without demand, the element keeps waiting, and the next one replaces it.
    if reaction.hasCandidate, reaction.wantsCandidate { reaction.setReady(reaction.ready + 1) }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    timer.disarm(&reaction)
    reaction.dropCandidate()
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}

extension Publishers.Debounce: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
