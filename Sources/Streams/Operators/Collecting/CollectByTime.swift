extension Publisher {
  /// Collects the values from each interval into an array, optionally with a maximum number of elements.
  ///
  ///     clicks.collect(.byTime(DispatchQueue.main, .seconds(1)))
  ///     rows.collect(.byTimeOrCount(DispatchQueue.main, .seconds(1), 100))
  ///
  /// ![The source publishes 1, 2, 3, 4 and 5 at 100 ms, 200 ms, 400 ms, 900 ms and 1.1 s and finishes at 1.2 s; the result publishes [1, 2], [3] and [4, 5] at 300 ms, 600 ms and 1.2 s and finishes.](diagram-collect-byTime)
  ///
  /// ![The source publishes 1, 2, 3, 4 and 5 and finishes; the result publishes [1, 2], [3] and [4, 5] and finishes.](diagram-collect-byTimeOrCount)
  ///
  /// The first interval begins on subscription. Intervals follow one another without drifting. At the end of each interval, the
  /// operator publishes an array, unless it's empty. A value that arrives exactly at that time joins the array or, if there's
  /// none, begins the next one. An array that reaches the maximum count is published as soon as the scheduler runs work. The next
  /// array then collects values until the end of the same interval.
  ///
  /// When upstream finishes, the operator publishes the remaining values, then the completion. When upstream fails, the
  /// operator discards the values collected since the last array, along with any finished arrays that haven't been requested.
  /// Everything is delivered on the scheduler, including the completion and arrays that are requested late. On a scheduler that
  /// runs work immediately, each value becomes its own array.
  ///
  /// - `.byTime` requests unlimited demand from upstream on the first request, because the number of values in an interval is
  ///   unknown.
  /// - `.byTimeOrCount` requests `count` values from upstream for each array that downstream requests.
  ///
  /// An array for which there's no demand waits until downstream requests it, and the completion follows the last array. At most
  /// one timer is pending, and only during an interval in which a value has arrived. Cancellation removes the timer.
  ///
  /// - Parameters:
  ///   - strategy: The strategy for grouping values, with a scheduler and the interval length. A count that isn't positive stops
  ///     the program with a message.
  ///   - options: The options to use when scheduling deliveries.
  /// - Complexity: Amortized O(1) for each value, and O((log *n*)²) for the first value after *n* intervals without
  ///   one.
  @inlinable
  public __consuming func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {
  /// A strategy that determines how ``Publisher/collect(_:options:)`` groups values.
  @frozen
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// Groups the values from each interval of the given length, on the given scheduler.
    case byTime(Context, Context.SchedulerTimeType.Stride)

    /// Groups the values from each interval of the given length, with a maximum count for each array.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)

    @inlinable
    var scheduler: Context {
      switch self {
      case .byTime(let scheduler, _), .byTimeOrCount(let scheduler, _, _): scheduler
      }
    }

    @inlinable
    var interval: Context.SchedulerTimeType.Stride {
      switch self {
      case .byTime(_, let interval), .byTimeOrCount(_, let interval, _): interval
      }
    }

    @inlinable
    var count: Int? {
      if case .byTimeOrCount(_, _, let count) = self { count } else { nil }
    }
  }

  /// The publisher that ``Publisher/collect(_:options:)`` returns.
  @frozen
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let strategy: TimeGroupingStrategy<Context>
    public let options: Context.SchedulerOptions?

    @inlinable
    public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
      if let count = strategy.count {
        require(
          count > 0,
          or: "collect(.byTimeOrCount) requires a count of at least 1, got \(count).")
      }
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      CollectByTimeEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self),
        SchedulerClock(strategy.scheduler, options, strategy.interval), CollectedGroup<Upstream.Output>(),
        strategy.count
      ).attach(upstream)
    }
  }
}

/// Collects elements into groups, which end after a number of elements or at the end of an interval, whichever comes first.
/// Everything is delivered on the scheduler.
///
/// The timer is armed only during an interval in which an element has arrived.
@usableFromInline
package final class CollectByTimeEngine: TimedEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let limit: Int?
  private let group: Group
  /// The number of elements in the group.
  @exclusivity(unchecked) private var count = 0
  /// The context of the newest element in the group, if contexts are carried.
  @exclusivity(unchecked) private var context: ContextSnapshot?
  /// The end of the current interval, or of a past one if no element has arrived since then.
  @exclusivity(unchecked) private var end: Instant?
  @exclusivity(unchecked) private var hasAskedForAll = false

  /// A group of elements whose type the engine doesn't know.
  @usableFromInline @_fixed_layout
  package class Group {
    /// The closure that takes the element at an address and adds it to the group.
    @usableFromInline package final let add: (Group, UnsafeMutableRawPointer) -> Void
    /// The closure that writes the elements to an address as an array and begins a new array.
    @usableFromInline package final let end: (Group, UnsafeMutableRawPointer) -> Void

    // The closures don't capture anything.
    @inlinable
    init(
      add: @escaping (Group, UnsafeMutableRawPointer) -> Void, end: @escaping (Group, UnsafeMutableRawPointer) -> Void
    ) {
      self.add = add
      self.end = end
    }

    var type: Any.Type { Never.self }
  }

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ place: ClockPlace, _ group: Group, _ limit: Int?) {
    self.group = group
    self.limit = limit
    super.init(receiver, layout, .timesSignals, place)
    begin(receiver)
  }

  package override var name: String { limit == nil ? "collect(.byTime)" : "collect(.byTimeOrCount)" }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { type == group.type }

  package override func needsTime(of signal: Signal) -> Bool { signal == .subscription }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if source.subscription != nil { return nil }
    end = place.ask(.later(reaction.now))
    return source.connected(subscription, requesting: elements(for: reaction.demand))
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    if source.subscription != nil { reaction.request(elements(for: more), from: source.subscription) }
    if reaction.hasCandidate { reaction.scheduleDelivery() }
  }

  /// Returns the demand for elements that corresponds to a demand for groups.
  private func elements(for groups: Subscribers.Demand) -> Subscribers.Demand {
    if let limit { return groups * limit }
    // The number of elements in an interval is unknown.
    if hasAskedForAll || groups == .none { return .none }
    hasAskedForAll = true
    return .unlimited
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    group.add(group, reaction.take())
    count += 1
    assert(notes(waiting: count))
    reaction.keepContext(in: &context)
    if count == limit {
      endGroup(&reaction)
      reaction.scheduleDelivery()
    } else if !timer.isArmed {
      timer.arm(&reaction)
    }
  }

  /// Enqueues the group for delivery and begins another.
  private func endGroup(_ reaction: inout Reaction) {
    count = 0
    reaction.store(in: context) { group.end(group, $0) }
  }

  package override func timerDate(at now: Instant) -> Instant {
    let date = place.end(from: end, after: now)
    end = date
    return date
  }

  package override func isDue(_ reaction: inout Reaction) {
    if count == 0 { return }
    endGroup(&reaction)
    deliveryBegins(&reaction)
  }

  package override func deliveryBegins(_ reaction: inout Reaction) {
    reaction.setReady(min(reaction.waiting, reaction.demand.max ?? .max))
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    source.ended(&reaction)
    timer.disarm(&reaction)
    if case .failure = completion {
      // Groups that have been requested come first, even if the scheduler has yet to deliver an earlier one.
      deliveryBegins(&reaction)
      reaction.endEarly(with: completion)
    } else {
      if count > 0 { endGroup(&reaction) }
      reaction.finish()
    }
    reaction.scheduleDelivery()
  }

  package override func tearDown(_ reaction: inout Reaction) {
    super.tearDown(&reaction)
    // Waiting elements are released without the lock.
    if count > 0 { endGroup(&reaction) }
    reaction.release(context.take())
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    super.inspectContents(tell)
    tell(.held, count, nil)
  }
}

@usableFromInline @_fixed_layout
package final class CollectedGroup<Element>: CollectByTimeEngine.Group {
  // Exclusive: the engine's lock protects the elements.
  @usableFromInline @exclusivity(unchecked) final var elements: [Element] = []

  @inlinable @inline(never) @_optimize(size)
  package init() {
    super.init(
      add: { unsafeDowncast($0, to: CollectedGroup.self).elements.append(ElementLayout.take(Element.self, from: $1)) },
      end: {
        let group = unsafeDowncast($0, to: CollectedGroup.self)
        var elements: [Element] = []
        swap(&elements, &group.elements)
        ElementLayout.write(elements, to: $1)
      })
  }

  override var type: Any.Type { Element.self }
}

extension Publishers.TimeGroupingStrategy: Sendable
where Context: Sendable, Context.SchedulerTimeType.Stride: Sendable {}
extension Publishers.CollectByTime: Sendable
where
  Upstream: Sendable, Context: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable
{}
