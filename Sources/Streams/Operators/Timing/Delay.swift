extension Publisher {
  /// Delivers values and the completion on a scheduler after a delay.
  ///
  ///     publisher.delay(for: .seconds(1), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b and c at 100, 300 and 400 ms and finishes at 600 ms; the result publishes a, b and c at 400, 600 and 700 ms and finishes at 900 ms.](diagram-delay)
  ///
  /// The operator preserves order and relative timing. It delays a failure, too. Demand passes through unchanged. Cancellation
  /// removes all scheduled actions and drops waiting values. The operator schedules one action for each date at which values or
  /// the completion arrive.
  ///
  /// - Parameters:
  ///   - interval: The length of the delay.
  ///   - tolerance: The time by which a delivery may be late. The default is the scheduler's minimum tolerance.
  ///   - scheduler: The scheduler that delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
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

    public let upstream: Upstream
    public let interval: Context.SchedulerTimeType.Stride
    public let tolerance: Context.SchedulerTimeType.Stride
    public let scheduler: Context
    public let options: Context.SchedulerOptions?

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
      DelayEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        SchedulerClock(scheduler, options, interval, tolerance: tolerance)
      ).attach(upstream)
    }
  }
}

/// Delivers each element and the completion one interval after its arrival.
///
/// There's one timer for each date at which something is due. Dates never decrease, so whichever timer fires, the elements for
/// the oldest pending date are due.
@usableFromInline
package final class DelayEngine: Engine {
  /// A date that hasn't been reached.
  private struct Arrival {
    let date: Instant
    /// The number of elements that are due at this date.
    var count: Int
    /// The object that disarms the timer, once it's known.
    var timer: TimerObject?
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var source = SingleSource()
  /// The pending dates, oldest first.
  @exclusivity(unchecked) private var arrivals = Ring<Arrival>()
  /// The number of dates that have been reached. It's also the index that identifies the oldest pending date.
  @exclusivity(unchecked) private var passed = 0
  private let place: ClockPlace

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace) {
    self.place = place
    super.init(receiver, layout, [.deliversOnScheduler, .timesElements, .timesSignals])
    begin(receiver)
  }

  package override var name: String { "delay" }

  package override func needsTime(of signal: Signal) -> Bool { signal == .completion }

  package override var time: Instant { place.ask(.now) }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? { source.connected(subscription, requesting: reaction.demand) }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    reaction.request(more, from: source.subscription)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    reaction.store()
    note(1, &reaction)
  }

  /// Notes that `count` elements have arrived or, if `count` is 0, that the completion has.
  private func note(_ count: Int, _ reaction: inout Reaction) {
    let date = place.ask(.later(reaction.now))
    if !arrivals.isEmpty, place.isEqual(arrivals[arrivals.count &- 1].date, date) {
      arrivals[arrivals.count &- 1].count &+= count
    } else {
      arrivals.append(Arrival(date: date, count: count))
      reaction.arm(passed &+ arrivals.count &- 1)
    }
  }

  package override func fired(_ number: Int, _ reaction: inout Reaction) -> TimerObject? {
    guard let reached = arrivals.popFirst() else { return nil }
    passed &+= 1
    reaction.setReady(reaction.ready &+ reached.count)
    // Once there's a completion, the last date is the completion's.
    if arrivals.isEmpty { reaction.setCompletionReady() }
    return reached.timer
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    note(0, &reaction)
    reaction.finish(completion)
  }

  package override func cancelSources(_ reaction: inout Reaction) { source.cancel(&reaction) }

  package override func tearDown(_ reaction: inout Reaction) {
    cancelSources(&reaction)
    while let arrival = arrivals.popFirst() {
      passed &+= 1
      reaction.disarm(arrival.timer)
    }
  }

  package override func schedule(_ work: ScheduledWork) {
    guard case .timer(let number) = work, let date = withLock({ arrival(number)?.date }) else { return }
    // Whichever timer fires, the oldest date has been reached, so all timers do the same work.
    let timer = place.arm(place, self, 0, date)
    withLock { armed(number, timer) }?.cancel()
  }

  private func arrival(_ number: Int) -> Arrival? {
    let index = number &- passed
    return index >= 0 && index < arrivals.count ? arrivals[index] : nil
  }

  /// Stores the object that disarms a timer, or returns it if the timer's date was reached or the stream is over.
  private func armed(_ number: Int, _ timer: TimerObject) -> TimerObject? {
    if arrival(number) == nil { return timer }
    arrivals[number &- passed].timer = timer
    return nil
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if !arrivals.isEmpty { tell(.timer, 0, nil) }
    place.tellPlace(tell)
    if !arrivals.isEmpty {
      tell(.date, 0, StreamFact.Box(place.inspected(arrivals[arrivals.count - 1].date)))
    }
  }
}

extension Publishers.Delay: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
