extension Publisher {
  /// Publishes at most one value in each interval: the latest or the first to arrive.
  ///
  ///     positions.throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)
  ///
  /// The first value is due immediately and begins an interval when it's delivered. At the end of the interval, the operator
  /// publishes the latest value that arrived in it, or, with `latest: false`, the first one. That value begins the next
  /// interval. If no value arrived, the next value is due immediately.
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 800 and 900 ms and finishes at 1 s; the result publishes a, c, d and e at 100 ms, 400 ms, 800 ms and 1.1 s and finishes.](diagram-throttle-latest)
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 800 and 900 ms and finishes at 1 s; the result publishes a, b, d and e at 100 ms, 400 ms, 800 ms and 1.1 s and finishes.](diagram-throttle-first)
  ///
  /// The operator requests unlimited demand from upstream and delivers on the scheduler, even a value that's due immediately. A
  /// queue delivers such a value after `send` has returned, and a test scheduler delivers it when you advance time. With
  /// `latest: true`, a value that arrives before then replaces it. On a scheduler that runs work immediately, every value is
  /// published immediately.
  ///
  /// If there's demand, a waiting value is delivered at the end of its interval even if upstream has completed in the meantime,
  /// and the completion follows it. If a value is due while there's no demand, it isn't delivered, and the next one replaces
  /// it. Cancellation removes the timer.
  ///
  /// - Parameters:
  ///   - interval: The interval in which at most one value is delivered.
  ///   - scheduler: The scheduler that measures intervals and delivers values and the completion.
  ///   - latest: `true` for the latest value in an interval, `false` for the first.
  @inlinable
  public __consuming func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/throttle(for:scheduler:latest:)`` returns.
  @frozen
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let latest: Bool

    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.latest = latest
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      ThrottleEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), SchedulerClock(scheduler, nil, interval),
        latest: latest
      ).attach(upstream)
    }
  }
}

/// Delivers at most one element in each interval, the first or the newest.
///
/// At most one element is waiting to become due. The timer is armed for the date at which the element is due.
@usableFromInline
package final class ThrottleEngine: TimedEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  /// The time at which the timer last fired.
  @exclusivity(unchecked) private var lastFired: Instant?
  private let latest: Bool

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace, latest: Bool) {
    self.latest = latest
    super.init(receiver, layout, .timesSignals, place)
    begin(receiver)
  }

  package override var name: String { "throttle" }

  package override func needsTime(of signal: Signal) -> Bool { signal == .timer }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { source.connected(subscription, requesting: .unlimited) }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if !reaction.hasCandidate {
      reaction.store()
    } else if latest || !timer.isArmed {
      reaction.replaceNewest()
    }
    if !timer.isArmed { timer.arm(&reaction) }
  }

  package override func timerDate(at now: Instant) -> Instant {
    guard let lastFired else { return now }
    // If the clock was set back, values don't wait until it reaches the old time again.
    return place.latest(now, place.ask(.later(place.earlier(now, lastFired))))
  }

  package override func isDue(_ reaction: inout Reaction) {
    lastFired = reaction.now
    if reaction.wantsCandidate {
      if reaction.hasCandidate { reaction.setReady(reaction.ready + 1) }
    } else if !reaction.isRunning {
      // No demand will come in time.
      reaction.dropCandidate()
    }
    reaction.setCompletionReady()
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    reaction.finish(completion)
    // A waiting element is delivered at its time, and the completion after it.
    if !timer.isArmed {
      reaction.dropCandidate()
      reaction.scheduleDelivery()
    }
  }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
