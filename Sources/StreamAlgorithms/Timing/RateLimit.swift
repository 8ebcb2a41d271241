public import Streams

extension Publisher {
  /// Limits the number of values delivered in any interval, and queues excess values.
  ///
  ///     requests.rateLimit(10, per: .seconds(1), scheduler: queue, queueSize: 1000, whenFull: .dropNewest)
  ///
  /// ![The source publishes a, b, c, d and e at 100, 200, 300, 400 and 900 ms and finishes at 1.1 s; the result publishes a, b, c, d and e at 100, 200, 500, 600 and 900 ms and finishes at 1.1 s.](diagram-rateLimit)
  ///
  /// The interval slides: at least one interval passes between the delivery of a value and that of the value `count` places
  /// after it. After a pause, `count` values may therefore be delivered at the same time.
  ///
  /// The operator requests unlimited demand from upstream, or, with `.wait`, as many values as there's room for. At most
  /// `queueSize` values are waiting for their turn or for downstream demand. `whenFull` determines what happens to a value when
  /// there's no room for it. A value whose turn has come is no longer in the queue, even if the scheduler has yet to deliver
  /// it, and no later value displaces it. With a `queueSize` of 0, a value whose turn hasn't come is dropped, or it fails the
  /// stream.
  ///
  /// A completion or failure waits until the queue is empty. Values and the completion are delivered on the scheduler, in
  /// order. At most one timer is armed, and cancellation disarms it. On a scheduler that runs work immediately, no time passes,
  /// so no value is held back.
  ///
  /// - Parameters:
  ///   - count: The maximum number of values in an interval.
  ///   - interval: The length of the interval.
  ///   - scheduler: The scheduler that measures the interval and delivers values and the completion.
  ///   - options: The options to pass to the scheduler.
  ///   - queueSize: The maximum number of waiting values.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  /// - Returns: A publisher that delivers at most `count` values in any interval.
  /// - Precondition: `count` and `interval` are positive, and `queueSize` isn't negative.
  /// - Complexity: Amortized O(1) for each value, or O(`count`) if the value displaces another while the scheduler has yet to
  ///   deliver values whose turn has come. The operator stores the dates of the last `count` deliveries.
  @inlinable @_disfavoredOverload
  public __consuming func rateLimit<S: Scheduler>(
    _ count: Int, per interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    queueSize: Int, whenFull: OverflowStrategy<Failure>
  ) -> RateLimitPublisher<Self, S> {
    RateLimitPublisher(
      upstream: self, count: count, interval: interval, scheduler: scheduler, options: options, queueSize: queueSize,
      whenFull: whenFull)
  }
}

/// The publisher that `rateLimit(_:per:scheduler:options:queueSize:whenFull:)` returns.
@frozen
public struct RateLimitPublisher<Upstream: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let count: Int
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let queueSize: Int
  @usableFromInline let whenFull: OverflowStrategy<Upstream.Failure>

  @inlinable
  init(
    upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
    options: Context.SchedulerOptions?, queueSize: Int, whenFull: OverflowStrategy<Upstream.Failure>
  ) {
    require(count > 0, or: "rateLimit(_:per:) requires a count of at least 1, got \(count).")
    require(
      interval > .seconds(0), or: "rateLimit(_:per:) requires an interval longer than zero, got \(interval).")
    requireNotNegative(queueSize, in: "rateLimit(queueSize:)", "a size")
    whenFull.requireRoom(queueSize, in: "rateLimit(queueSize:)")
    self.upstream = upstream
    self.count = count
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
    self.queueSize = queueSize
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let name = "rateLimit(_:per:scheduler:queueSize:whenFull: .wait)"
    let machine = RateLimitMachine<Output, Failure, Context>(
      SchedulerPlace(scheduler, options), Timing(interval), count)
    Engine.make(machine, Bound(queueSize, whenFull, in: name), for: subscriber).attach(upstream)
  }
}

/// Grants a number of elements in each interval. Others wait, up to the bound.
///
/// An element is ready once it is granted. The timer is armed while an element waits for which there is demand.
@usableFromInline @frozen
struct RateLimitMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine, ~Copyable {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Date = Context.SchedulerTimeType

  @usableFromInline let count: Int
  @usableFromInline var source = SingleSource()
  @usableFromInline let place: SchedulerPlace<Context>
  @usableFromInline var timing: Timing<Context>
  /// The dates at which the last elements were granted, at most `count`, oldest first.
  @usableFromInline var dates = Ring<Date>()
  /// The number of elements that have been granted, and for which no others have been requested.
  @usableFromInline var granted = 0

  @inlinable @inline(never)
  init(_ place: SchedulerPlace<Context>, _ timing: Timing<Context>, _ count: Int) {
    self.place = place
    self.timing = timing
    self.count = count
  }

  @inlinable var name: String { "rateLimit" }
  @inlinable static func needsTime(of signal: Signal) -> Bool { signal == .element || signal == .timer }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    guard let bound = reaction.bound else { return nil }
    return source.connected(subscription, requesting: bound.demand)
  }

  @inlinable
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    armIfNeeded(&reaction)
  }

  @inlinable
  mutating func armIfNeeded(_ reaction: inout Reaction<Output, Failure>) {
    if reaction.hasCandidate, reaction.wantsCandidate, !timing.timer.isArmed { timing.timer.arm(&reaction) }
  }

  @inlinable @inline(__always)
  mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if !reaction.hasCandidate, reaction.wantsCandidate {
      limitDates(to: timing.now)
      if allows(at: timing.now) {
        reaction.store(element)
        grant(&reaction)
        replenish(&reaction)
        return reaction.scheduleDelivery()
      }
    }
    if makesRoom(&reaction, promised: reaction.ready) {
      reaction.store(element)
      return armIfNeeded(&reaction)
    }
    if reaction.isRunning { return }
    // If the stream fails, the waiting elements come first, each at its time.
    if reaction.endsEarly { timing.timer.disarm(&reaction) }
    if reaction.endsEarly || !reaction.hasCandidate { reaction.scheduleDelivery() }
  }

  /// Makes the oldest element that waits ready.
  @inlinable
  mutating func grant(_ reaction: inout Reaction<Output, Failure>) {
    reaction.setReady(reaction.ready &+ 1)
    granted &+= 1
  }

  /// Requests as many elements as have been granted, if no more are to arrive than there is room for.
  @inlinable
  mutating func replenish(_ reaction: inout Reaction<Output, Failure>) {
    if reaction.bound?.overflow == .wait { reaction.request(.max(granted), from: source.subscription) }
    granted = 0
  }

  /// The date before which no other element may be granted, if there is one.
  @inlinable
  var next: Date? { dates.count < count ? nil : dates.first?.advanced(by: timing.interval) }

  /// Returns whether the rate allows another element, and notes it in that case.
  @inlinable
  mutating func allows(at now: Date) -> Bool {
    if let next {
      if now < next { return false }
      _ = dates.popFirst()
    }
    dates.append(now)
    return true
  }

  /// Moves dates after now to now: the clock was set back, and elements don't wait until it reaches the old time again.
  @inlinable
  mutating func limitDates(to now: Date) {
    guard !dates.isEmpty, dates[dates.count &- 1] > now else { return }
    for index in 0..<dates.count { dates[index] = min(dates[index], now) }
  }

  /// Moves the dates as far as the clock is from the date for which the timer was armed: the timer measures the time, even
  /// if the clock was set, or it fires early or late.
  @usableFromInline
  mutating func moveDates(to now: Date) {
    guard let date = timing.armedDate, date != now else { return }
    let shift = date.distance(to: now)
    for index in 0..<dates.count { dates[index] = dates[index].advanced(by: shift) }
  }

  @inlinable
  mutating func timerDate(at now: Date) -> Date {
    limitDates(to: now)
    return next.map { max(now, $0) } ?? now
  }

  @inlinable
  mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {
    // Everything is granted on a scheduler that doesn't wait.
    let isWaiting = !timing.timer.isBeingArmed
    if isWaiting { moveDates(to: timing.now) }
    while reaction.hasCandidate, reaction.wantsCandidate, !isWaiting || allows(at: timing.now) { grant(&reaction) }
    replenish(&reaction)
    armIfNeeded(&reaction)
    reaction.setCompletionReady()
  }

  @inlinable
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    reaction.finish(completion)
    if !reaction.hasCandidate { reaction.scheduleDelivery() }
  }
}
