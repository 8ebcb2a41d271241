extension Publisher {
  /// Ends the stream if no value arrives within an interval.
  ///
  ///     load().timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { LoadError.timeout })
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and finishes at 600 ms.](diagram-timeout)
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and fails at 600 ms.](diagram-timeout-customError)
  ///
  /// The interval starts on subscription and restarts with each value. When it elapses, the operator cancels upstream. The
  /// stream then finishes or, with `customError`, fails. The operator delivers values and the completion on the scheduler, in
  /// order, like ``receive(on:options:)``. Demand passes through unchanged. Cancellation removes the timer. On a scheduler that
  /// runs work immediately, the interval never elapses.
  ///
  /// - Parameters:
  ///   - interval: The maximum time to wait for the next value.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  ///   - customError: A closure that returns the error to fail with. Without it, the stream finishes.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable
  public __consuming func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (() -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options,
      customError: customError)
  }
}

extension Publishers {
  /// The publisher that `timeout(_:scheduler:options:customError:)` returns.
  @frozen
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let interval: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?
    public let customError: (() -> Upstream.Failure)?

    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
      options: Context.SchedulerOptions?, customError: (() -> Upstream.Failure)?
    ) {
      self.upstream = upstream
      self.interval = interval
      self.scheduler = scheduler
      self.options = options
      self.customError = customError
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      TimeoutEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), SchedulerClock(scheduler, options, interval),
        Bound(in: "timeout", makeError: customError)
      ).attach(upstream)
    }
  }
}

/// Delivers through a scheduler, like ``ReceiveOnEngine``, and ends the stream when no element has arrived for an
/// interval.
@usableFromInline
package final class TimeoutEngine: TimedEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  /// The date at which the stream ends if no element arrives.
  @exclusivity(unchecked) private var end: Instant?
  /// Indicates whether an element has moved `end` since the timer was armed.
  @exclusivity(unchecked) private var hasMoved = false

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace, _ bound: Bound) {
    super.init(receiver, layout, [.timesElements, .timesSignals], place, bound)
    begin(receiver)
  }

  package override var name: String { "timeout" }

  package override var date: Instant? { end }

  package override func needsTime(of signal: Signal) -> Bool { signal == .subscription || signal == .timer }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if end == nil {
      end = place.ask(.later(reaction.now))
      timer.arm(&reaction)
    }
    return source.connected(subscription, requesting: reaction.demand)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    reaction.request(more, from: source.subscription)
    if reaction.waiting > 0, !reaction.isDelivering { reaction.scheduleDelivery() }
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    end = place.ask(.later(reaction.now))
    hasMoved = true
    reaction.store()
    reaction.scheduleDelivery()
  }

  package override func deliveryBegins(_ reaction: inout Reaction) { reaction.setReady(reaction.waiting) }

  package override func timerDate(at now: Instant) -> Instant {
    hasMoved = false
    return super.timerDate(at: now)
  }

  package override func isDue(_ reaction: inout Reaction) {
    // On a scheduler that runs work immediately, the interval never elapses.
    if timer.isBeingArmed { return }
    if isEarly(at: reaction.now) { return timer.arm(&reaction) }
    cancelSources(&reaction)
    reaction.setReady(reaction.waiting)
    reaction.finishMakingError()
    reaction.setCompletionReady()
  }

  /// Returns whether the timer has fired before `end`.
  private func isEarly(at now: Instant) -> Bool {
    guard let end else { return true }
    if hasMoved { return place.isBefore(now, super.timerDate(at: now)) }
    // If `end` is further away than an interval, the clock was set back and the time has passed.
    return place.isBefore(now, end) && !place.isBefore(place.ask(.later(now)), end)
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    timer.disarm(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}
