extension Publisher {
  /// Delivers values and the completion after a delay, on a scheduler.
  ///
  ///     publisher.delay(for: .seconds(1), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b and c at 100, 300 and 400 ms and finishes at 600 ms; the result publishes a, b and c at 400, 600 and 700 ms and finishes at 900 ms.](diagram-delay)
  ///
  /// The operator preserves order and relative timing. It delays a failure in the same way as a normal completion. Demand
  /// passes through unchanged. Cancellation disarms all scheduled actions and drops waiting values. The operator schedules one
  /// action for each date on which something arrives.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay.
  ///   - tolerance: How late a delivery may be. The default is the scheduler's minimum tolerance.
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes the delayed values.
  /// - Complexity: Amortized O(1) for each value, plus the scheduler's own work.
  @inlinable
  public __consuming func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
      options: options)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/delay(for:tolerance:scheduler:options:)`` returns.
  @frozen
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The length of the delay.
    public let interval: Context.SchedulerTimeType.Stride

    /// How late a delivery may be.
    public let tolerance: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - interval: The length of the delay.
    ///   - tolerance: How late a delivery may be.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
    @inlinable
    public init(
      upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
      scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
      self.upstream = upstream
      self.interval = interval
      self.tolerance = tolerance
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let machine = DelayMachine<Output, Failure, Context>(
        SchedulerPlace(scheduler, options), Timing(interval), tolerance)
      Engine.make(machine, for: subscriber).attach(upstream)
    }
  }
}

/// Delivers all elements, and the completion, an interval after they arrived.
///
/// There is one timer for each date at which something arrived. Dates never decrease, so whichever timer fires, the
/// elements of the oldest date are due that has not been reached.
@usableFromInline @frozen
package struct DelayMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine, ~Copyable {
  @usableFromInline package typealias Output = Element

  /// A date that has not been reached.
  @usableFromInline @frozen
  package struct Arrival {
    @usableFromInline package let date: Context.SchedulerTimeType
    /// The number of elements that arrived for this date.
    @usableFromInline package var count: Int
    /// What disarms the timer, once that is known.
    @usableFromInline package var timer: TimerObject?

    @inlinable
    package init(_ date: Context.SchedulerTimeType, _ count: Int) {
      self.date = date
      self.count = count
    }
  }

  @usableFromInline package let tolerance: Context.SchedulerTimeType.Stride
  @usableFromInline package var source = SingleSource()
  @usableFromInline package let place: SchedulerPlace<Context>
  @usableFromInline package var timing: Timing<Context>
  /// Oldest first.
  @usableFromInline package var arrivals = Ring<Arrival>()
  /// The number of dates that have been reached, which is also the number of the oldest that has not.
  @usableFromInline package var passed = 0

  @inlinable @inline(never)
  package init(
    _ place: SchedulerPlace<Context>, _ timing: Timing<Context>, _ tolerance: Context.SchedulerTimeType.Stride
  ) {
    self.place = place
    self.timing = timing
    self.tolerance = tolerance
  }

  @inlinable package var name: String { "delay" }

  @inlinable
  package static func needsTime(of signal: Signal) -> Bool { signal == .element || signal == .completion }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    source.connected(subscription, requesting: reaction.demand)
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    reaction.request(more, from: source.subscription)
  }

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    reaction.store(element)
    note(1, &reaction)
  }

  /// Notes that so many elements have arrived, or else the completion.
  @inlinable @inline(__always)
  package mutating func note(_ count: Int, _ reaction: inout Reaction<Output, Failure>) {
    let date = timing.later
    if !arrivals.isEmpty, arrivals[arrivals.count &- 1].date == date {
      arrivals[arrivals.count &- 1].count &+= count
    } else {
      arrivals.append(Arrival(date, count))
      reaction.arm(passed &+ arrivals.count &- 1)
    }
  }

  @inlinable
  package mutating func fired(_ number: Int, _ reaction: inout Reaction<Output, Failure>) -> TimerObject? {
    guard let reached = arrivals.popFirst() else { return nil }
    passed &+= 1
    reaction.setReady(reaction.ready &+ reached.count)
    // The last date is that of the completion, once there is one.
    if arrivals.isEmpty { reaction.setCompletionReady() }
    return reached.timer
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    note(0, &reaction)
    reaction.finish(completion)
  }

  @inlinable
  package mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    cancelSources(&reaction)
    while let arrival = arrivals.popFirst() {
      passed &+= 1
      reaction.disarm(arrival.timer)
    }
  }

  @inlinable @inline(never)
  package static func schedule(_ work: ScheduledWork, for engine: Engine<DelayMachine>) {
    let place = engine.machine.place
    guard case .timer(let number) = work, let date = engine.withLock({ engine.machine.arrival(number)?.date }) else {
      return
    }
    // The work is the same for all timers, so that it needs no allocation.
    let timer = place.scheduler.scheduleOnce(
      after: date, tolerance: engine.machine.tolerance, options: place.options
    ) { engine.run(.timer(0)) }
    engine.withLock { engine.machine.armed(number, timer) }?.cancel()
  }

  @inlinable
  package func arrival(_ number: Int) -> Arrival? {
    let index = number &- passed
    return index >= 0 && index < arrivals.count ? arrivals[index] : nil
  }

  /// Stores the object that disarms a timer, or returns it if a timer has fired for its date, or the stream is over.
  @inlinable
  package mutating func armed(_ number: Int, _ timer: TimerObject) -> TimerObject? {
    if arrival(number) == nil { return timer }
    arrivals[number &- passed].timer = timer
    return nil
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if !arrivals.isEmpty { tell(.timer, 0, nil) }
    place.tellPlace(tell, arrivals.isEmpty ? nil : arrivals[arrivals.count - 1].date)
  }
}

extension Publishers.Delay: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
