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
      let engine = Engine.make(
        DebounceMachine<Output, Failure, Context>(SchedulerPlace(scheduler, options), dueTime), for: subscriber)
      engine.attach(upstream, DebounceInlet(engine))
    }
  }
}

/// Delivers the newest element once none has arrived for an interval.
///
/// At most one element waits, and at most one timer is armed. If a newer element has arrived since, the timer is armed again
/// when it fires.
@usableFromInline @frozen
struct DebounceMachine<Element, Failure: Error, Context: Scheduler>: Machine {
  @usableFromInline typealias Output = Element
  @usableFromInline typealias Time = Context.SchedulerTimeType

  @usableFromInline let place: SchedulerPlace<Context>
  @usableFromInline let interval: Time.Stride
  @usableFromInline var source = OnlySource()
  @usableFromInline var timer = OnlyTimer()
  /// The date at which the newest element is due.
  @usableFromInline var date: Time?
  /// The date for which the timer was last armed.
  @usableFromInline var armedDate: Time?
  /// Indicates whether an element has replaced another since the timer was armed.
  @usableFromInline var isReplaced = false

  @inlinable @inline(never)
  init(_ place: SchedulerPlace<Context>, _ interval: Time.Stride) {
    self.place = place
    self.interval = interval
  }

  @inlinable static var name: String { "debounce" }
  @inlinable static var deliversOnScheduler: Bool { true }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    source.connected(subscription, requesting: .unlimited)
  }

  /// Handles an element that is due at the date, unless another one follows. Gives the former date back, because releasing it
  /// may run code of a user.
  @inlinable @inline(__always)
  mutating func received(_ element: Element, at date: inout Time?, _ reaction: inout Reaction<Output, Failure>) {
    swap(&self.date, &date)
    if reaction.waiting > reaction.ready {
      isReplaced = true
      reaction.replaceNewest(with: element)
    } else {
      reaction.store(element)
    }
    if !timer.isArmed { arm(&reaction) }
  }

  @inlinable
  mutating func arm(_ reaction: inout Reaction<Output, Failure>) {
    isReplaced = false
    timer.arm(&reaction)
  }

  @inlinable
  mutating func fired(_ number: Int, _ reaction: inout Reaction<Output, Failure>) {
    guard timer.fires(number, &reaction) else { return }
    if isReplaced {
      arm(&reaction)
    } else if reaction.waiting > reaction.ready, reaction.demand > .max(reaction.ready) {
      // Without demand, the element stays one that the next one replaces.
      reaction.setReady(reaction.ready + 1)
    }
  }

  @inlinable
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    timer.disarm(&reaction)
    reaction.finish(completion)
    reaction.scheduleDelivery()
  }

  @inlinable
  mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    source.cancel(&reaction)
    timer.disarm(&reaction)
  }

  @inlinable @inline(never)
  static func schedule(_ work: ScheduledWork, for engine: Engine<DebounceMachine>) {
    // Constants are read without the lock.
    let place = engine.machine.place
    guard case .timer(let number) = work else { return place.schedule(engine) }
    let now = place.scheduler.now
    // Dates are compared without the lock, because that may run code of a user.
    let (due, armedDate) = engine.withLock { (engine.machine.date, engine.machine.armedDate) }
    let date = now.advanced(
      by: Deadline<Context>.remainder(of: engine.machine.interval, until: due, armedFor: armedDate, at: now))
    var former: Time? = date
    engine.withLock { swap(&engine.machine.armedDate, &former) }
    let timer = place.arm(number, for: engine, at: date)
    engine.withLock { engine.machine.timer.armed(number, timer) }?.cancel()
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    source.tell(tell)
    if timer.isArmed { tell(.timer, 0, nil) }
    place.tellPlace(tell, date)
  }
}

@usableFromInline @frozen
struct DebounceInlet<Input, Failure: Error, Context: Scheduler>: EngineInlet {
  @usableFromInline let engine: Engine<DebounceMachine<Input, Failure, Context>>

  @inlinable
  init(_ engine: Engine<DebounceMachine<Input, Failure, Context>>) { self.engine = engine }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    // Constants are read without the lock.
    var date: Context.SchedulerTimeType? = engine.machine.place.scheduler.now.advanced(by: engine.machine.interval)
    engine.react { $0.received(input, at: &date, &$1) }
    return .none
  }
}

extension Publishers.Debounce: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
