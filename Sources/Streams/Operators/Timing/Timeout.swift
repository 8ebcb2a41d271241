extension Publisher {
  /// Ends the stream if no value arrives within an interval.
  ///
  ///     load().timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { LoadError.timeout })
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and finishes at 600 ms.](diagram-timeout)
  ///
  /// ![The source publishes a and b at 100 and 300 ms and is cancelled at 600 ms; the result publishes a and b at 100 and 300 ms and fails at 600 ms.](diagram-timeout-customError)
  ///
  /// The interval starts on subscription and restarts with each value. When it elapses, the operator cancels upstream. The stream
  /// then finishes or, with `customError`, fails. Values and the completion are delivered on the scheduler, in order, as with
  /// ``receive(on:options:)``. Demand passes through unchanged. Cancellation disarms the timer. On a scheduler that runs work
  /// immediately, the interval never elapses.
  ///
  /// - Parameters:
  ///   - interval: The maximum time to wait for the next value.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  ///   - customError: A closure that returns the error to fail with. Without it, the stream finishes.
  /// - Returns: A publisher that publishes the same values, delivered on the scheduler.
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

    /// The upstream publisher.
    public let upstream: Upstream

    /// The maximum time to wait for the next value.
    public let interval: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// The closure that returns the error that the stream fails with. Without it, the stream finishes.
    public let customError: (() -> Upstream.Failure)?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - interval: The maximum time to wait for the next value.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    ///   - customError: The closure that returns the error that the stream fails with. Without it, the stream finishes.
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
      let machine = TimeoutMachine<Output, Failure, Context>(SchedulerPlace(scheduler, options), Timing(interval))
      Engine.make(machine, Bound(in: "timeout", makeError: customError), for: subscriber).attach(upstream)
    }
  }
}

/// Delivers through a scheduler, like ``ReceiveOnEngine``, and ends the stream when no element has arrived for an
/// interval.
@usableFromInline @frozen
struct TimeoutMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine {
  @usableFromInline typealias Output = Element

  @usableFromInline var source = SingleSource()
  @usableFromInline let place: SchedulerPlace<Context>
  @usableFromInline var timing: Timing<Context>
  /// The date at which the stream ends if no element arrives.
  @usableFromInline var date: Context.SchedulerTimeType?
  /// Indicates whether an element has moved the date since the timer was armed.
  @usableFromInline var hasMoved = false

  @inlinable @inline(never)
  init(_ place: SchedulerPlace<Context>, _ timing: Timing<Context>) {
    self.place = place
    self.timing = timing
  }

  @inlinable var name: String { "timeout" }

  @inlinable
  static func needsTime(of signal: Signal) -> Bool { signal != .completion && signal != .delivery }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    if date == nil {
      date = timing.later
      timing.timer.arm(&reaction)
    }
    return source.connected(subscription, requesting: reaction.demand)
  }

  @inlinable
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    reaction.request(more, from: source.subscription)
    if reaction.waiting > 0 { reaction.scheduleDelivery() }
  }

  @inlinable @inline(__always)
  mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    date = timing.later
    hasMoved = true
    reaction.store(element)
    reaction.scheduleDelivery()
  }

  @inlinable
  mutating func deliveryBegins(_ reaction: inout Reaction<Output, Failure>) { reaction.setReady(reaction.waiting) }

  @inlinable
  mutating func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    hasMoved = false
    return now.advanced(by: timing.remainder(until: date, at: now))
  }

  @inlinable
  mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {
    // A scheduler that doesn't wait reaches no date.
    if timing.timer.isBeingArmed { return }
    if isEarly { return timing.timer.arm(&reaction) }
    cancelSources(&reaction)
    reaction.setReady(reaction.waiting)
    reaction.finishMakingError()
    reaction.setCompletionReady()
  }

  /// Indicates whether the timer fires although the date has not been reached.
  @usableFromInline
  var isEarly: Bool {
    guard let date else { return true }
    if hasMoved { return timing.remainder(until: date, at: timing.now) > .zero }
    // If the date is further away than an interval, the clock was set back and the time has passed.
    return timing.now < date && timing.now.distance(to: date) <= timing.interval
  }

  @inlinable
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    timing.timer.disarm(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}
