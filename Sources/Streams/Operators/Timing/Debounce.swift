extension Publisher {
  /// Publishes the latest value after a period in which no other value arrives.
  ///
  ///     queries.debounce(for: .milliseconds(200), scheduler: DispatchQueue.main)
  ///
  /// ![The source publishes a, b, c and d at 100, 200, 700 and 800 ms and finishes at 900 ms; the result publishes b at 400 ms and finishes at 900 ms.](diagram-debounce)
  ///
  /// The operator requests unlimited demand from upstream. If a value is due while there's no demand, it isn't delivered, and the
  /// next one replaces it. When upstream completes, the waiting value is dropped. Values and the completion are delivered on the
  /// scheduler. No matter how many values arrive, at most one action is armed at any time. Cancellation disarms it.
  ///
  /// - Parameters:
  ///   - dueTime: The period in which no other value may arrive.
  ///   - scheduler: The scheduler that measures the period and delivers values and the completion.
  ///   - options: The options to use when scheduling deliveries.
  /// - Returns: A publisher that publishes the values that aren't followed by another one within the period.
  /// - Complexity: O(1) for each value.
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

    /// The upstream publisher.
    public let upstream: Upstream

    /// The period in which no other value may arrive.
    public let dueTime: Context.SchedulerTimeType.Stride

    /// The scheduler that delivers values.
    public let scheduler: Context

    /// The options to use when scheduling deliveries.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - dueTime: The period in which no other value may arrive.
    ///   - scheduler: The scheduler that delivers values.
    ///   - options: The options to use when scheduling deliveries.
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
      let place = SchedulerPlace(scheduler, options)
      Engine.make(DebounceMachine<Output, Failure, Context>(place, Timing(dueTime)), for: subscriber).attach(upstream)
    }
  }
}

/// Delivers the newest element once none has arrived for an interval.
///
/// At most one element waits, and at most one timer is armed. If a newer element has arrived since, the timer is armed again
/// when it fires.
@usableFromInline @frozen
package struct DebounceMachine<Element, Failure: Error, Context: Scheduler>: TimedMachine {
  @usableFromInline package typealias Output = Element

  @usableFromInline package var source = SingleSource()
  @usableFromInline package let place: SchedulerPlace<Context>
  @usableFromInline package var timing: Timing<Context>
  /// The date at which the newest element is due.
  @usableFromInline package var date: Context.SchedulerTimeType?
  /// Indicates whether an element has replaced another since the timer was armed.
  @usableFromInline package var isReplaced = false

  @inlinable @inline(never)
  package init(_ place: SchedulerPlace<Context>, _ timing: Timing<Context>) {
    self.place = place
    self.timing = timing
  }

  @inlinable package var name: String { "debounce" }
  @inlinable package static func needsTime(of signal: Signal) -> Bool { signal == .element }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    source.connected(subscription, requesting: .unlimited)
  }

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    date = timing.later
    if reaction.hasCandidate {
      isReplaced = true
      reaction.replaceNewest(with: element)
    } else {
      reaction.store(element)
    }
    if !timing.timer.isArmed { arm(&reaction) }
  }

  @inlinable
  package mutating func arm(_ reaction: inout Reaction<Output, Failure>) {
    isReplaced = false
    timing.timer.arm(&reaction)
  }

  @inlinable
  package mutating func timerDate(at now: Context.SchedulerTimeType) -> Context.SchedulerTimeType {
    now.advanced(by: timing.remainder(until: date, at: now))
  }

  @inlinable
  package mutating func isDue(_ reaction: inout Reaction<Output, Failure>) {
    if isReplaced { return arm(&reaction) }
    timing.armedDate = nil
    // Without demand, the element stays one that the next one replaces.
    if reaction.hasCandidate, reaction.wantsCandidate { reaction.setReady(reaction.ready + 1) }
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    timing.timer.disarm(&reaction)
    reaction.dropCandidate()
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }
}

extension Publishers.Debounce: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
