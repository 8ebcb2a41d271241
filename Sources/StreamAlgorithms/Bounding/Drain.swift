public import Streams
internal import Synchronization

extension Publisher {
  /// Stops the stream without loss when another publisher sends its first value: cancels upstream, delivers the values already
  /// sent, then finishes.
  ///
  /// ```swift
  /// let stop = PassthroughSubject<Void, Never>()
  /// requests.finish(when: stop).map(maxTasks: 16) { await respond(to: $0) }.sink { reply($0) }
  /// stop.send(())   // no further request; those that were accepted are answered
  /// ```
  ///
  /// ![values publishes a and b at 100 and 300 ms and is cancelled at 400 ms; stop publishes x at 400 ms and is cancelled; the result publishes a and b at 400 and 600 ms and finishes at 700 ms.](diagram-finish-when)
  ///
  /// Put this operator right after the source. Values that are waiting in the operators after it, whether for demand, a
  /// scheduler, a task or a timer, are delivered before the completion. The exceptions are operators that drop values on
  /// completion, such as `debounce`, which drops a value whose time hasn't come yet. To also limit how long the remaining
  /// deliveries may take, use `drain(when:within:scheduler:options:through:lost:)`.
  ///
  /// Demand passes through unchanged. The operator requests one value from the other publisher and ignores its completion or
  /// failure. It behaves like `prefix(untilOutputFrom:)`, except that it completes a ``BoundedSubject`` instead of cancelling
  /// it, so accepted values still arrive.
  ///
  /// - Parameter stop: The publisher whose first value stops the stream.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func finish<Stop: Publisher>(when stop: Stop) -> Publishers.PrefixUntilOutput<Self, Stop> {
    prefix(untilOutputFrom: stop)
  }

  /// Stops the stream when another publisher sends its first value, limits the time for delivering values already sent, and
  /// counts lost values.
  ///
  /// ```swift
  /// lines.drain(when: stop, within: .seconds(5), scheduler: queue) { lines in
  ///   lines.buffer(bounded: 1_000, whenFull: .wait)
  ///     .map(maxTasks: 16, by: \.room) { line in await store(line) }
  /// } lost: { count in
  ///   log("\(count) lines were not stored in time")
  /// }.sink { print("stored", $0) }
  /// ```
  ///
  /// ![values publishes a and b at 100 and 300 ms and is cancelled at 400 ms; stop publishes x at 400 ms and is cancelled; the result publishes a at 500 ms and finishes at 600 ms.](diagram-drain)
  ///
  /// The first value from `stop` cancels upstream, as it does in ``finish(when:)``. Values already sent pass through the
  /// operators that `through` puts after the source, and the stream finishes when those operators do. If the operators don't
  /// finish within the interval, they're cancelled, the values that downstream hasn't requested are dropped, and the stream
  /// finishes.
  ///
  /// If the time has elapsed or a subject has refused values, `lost` is called before the stream ends. The closure receives the
  /// number of values that upstream has sent and downstream hasn't received. A subject refuses a value that the operators
  /// haven't requested. Values that don't fit into a buffer are refused and counted too. Refused values are counted only if
  /// nothing but operators such as `map` and `filter` comes between the subject and this operator. To stop a
  /// ``BoundedSubject``, complete it. If it's cancelled instead, it drops its waiting values.
  ///
  /// The number is exact if the operators publish exactly one value for each value they receive. Otherwise, once the time has
  /// elapsed, values that the operators drop or combine count as lost too. A value counts as received when downstream's
  /// `receive` method has returned.
  ///
  /// Demand, failures and cancellation pass through the operators. The scheduler measures the time, and if the time
  /// elapses, the stream ends on that scheduler. The timer starts when `stop` sends its first value. The operator subscribes to
  /// `stop` for each subscriber, and ignores a completion or failure from `stop`.
  ///
  /// - Parameters:
  ///   - stop: The publisher whose first value stops the stream.
  ///   - interval: The time within which values already sent must arrive.
  ///   - scheduler: The scheduler that measures the time.
  ///   - options: The options to pass to the scheduler.
  ///   - operators: A closure that receives the source and applies operators to it. It's called once for each subscriber.
  ///   - lost: A closure to call with the number of values that didn't arrive.
  /// - Complexity: O(1) for each value, plus the operators' own work.
  @_disfavoredOverload
  public __consuming func drain<Stop: Publisher, Last: Publisher, Context: Scheduler>(
    when stop: Stop, within interval: Context.SchedulerTimeType.Stride, scheduler: Context,
    options: Context.SchedulerOptions? = nil, through operators: @escaping (AnyPublisher<Output, Failure>) -> Last,
    lost: @escaping (Int) -> Void
  ) -> DrainPublisher<Self, Stop, Last, Context> {
    DrainPublisher(
      upstream: self, stop: stop, interval: interval, scheduler: scheduler, options: options, operators: operators,
      lost: lost)
  }
}

/// The publisher that `drain(when:within:scheduler:options:through:lost:)` returns.
public struct DrainPublisher<Upstream: Publisher, Stop: Publisher, Last: Publisher, Context: Scheduler>: Publisher {
  public typealias Output = Last.Output
  public typealias Failure = Last.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let stop: Stop
  @usableFromInline let interval: Context.SchedulerTimeType.Stride
  @usableFromInline let scheduler: Context
  @usableFromInline let options: Context.SchedulerOptions?
  @usableFromInline let operators: (AnyPublisher<Upstream.Output, Upstream.Failure>) -> Last
  @usableFromInline let lost: (Int) -> Void

  init(
    upstream: Upstream, stop: Stop, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
    options: Context.SchedulerOptions?,
    operators: @escaping (AnyPublisher<Upstream.Output, Upstream.Failure>) -> Last, lost: @escaping (Int) -> Void
  ) {
    self.upstream = upstream
    self.stop = stop
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
    self.operators = operators
    self.lost = lost
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let drainage = Drainage(lost)
    let stop = stop.prefix(1).share(replay: 1)
    let source = Entrance(
      source: Publishers.PrefixUntilOutput(
        upstream: CountingRefused(upstream: upstream, drainage: drainage), other: stop)
    ).mapPart {
      drainage.enter()
      return $0
    }
    let engine = UntilEngine(
      SubscriberReceiver(DrainSubscriber(downstream: subscriber, drainage: drainage)), ElementLayout(Output.self),
      .cuts, "drain")
    engine.attach(trigger: stop.delay(for: interval, scheduler: scheduler, options: options))
    let last = operators(source.eraseToAnyPublisher())
    engine.attach(last, DrainInlet(engine: engine, drainage: drainage))
  }
}

/// Counts the values inside a drain's operators and the values that the source has refused.
private final class Drainage: Sendable {
  private let inside = Atomic(UInt(0))
  private let refused = Atomic(UInt(0))
  /// Indicates whether the operators have ended in time.
  private let isTimely = Atomic(false)
  // Unchecked: called at most once, when the stream completes.
  private nonisolated(unsafe) let lost: (Int) -> Void

  init(_ lost: @escaping (Int) -> Void) { self.lost = lost }

  func enter() { _ = inside.wrappingAdd(1, ordering: .relaxed) }

  func refuse() { _ = refused.wrappingAdd(1, ordering: .relaxed) }

  func leave() { _ = inside.wrappingAdd(.max, ordering: .relaxed) }  // Minus one.

  func noteTimelyEnd() { isTimely.store(true, ordering: .relaxed) }

  func report() {
    let (isTimely, refused) = (isTimely.load(ordering: .relaxed), refused.load(ordering: .relaxed))
    if isTimely, refused == 0 { return }
    lost(Int(bitPattern: refused &+ (isTimely ? 0 : inside.load(ordering: .relaxed))))
  }
}

/// A drain's source, which counts the values that it refuses because they haven't been requested.
private struct CountingRefused<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure
  let upstream: Upstream
  let drainage: Drainage

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      CountingSubscriber(downstream: subscriber, link: AnnotatedLink(whenValueDropped: drainage.refuse)))
  }
}

/// Lets values in until the stream stops. In an inspection, the entrance and the exit have the same name, which shows that the
/// operators between them are drained.
private struct Entrance<Upstream: Publisher, Stop: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure
  let source: Publishers.PrefixUntilOutput<Upstream, Stop>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    source.receive(subscriber: subscriber, as: "drain")
  }
}

/// A subject's subscriber, with a link that counts the values that the subject drops.
private struct CountingSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let link: AnnotatedLink

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  var _upstreamLink: SubscriberLink? { SubscriberLink(link) }

  func receive(subscription upstream: any Subscription) {
    if link.connect(upstream) { downstream.receive(subscription: link) }
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }
}

extension CountingSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links("", to: Downstream.self) }
}

private struct DrainInlet<Input, Failure: Error>: Subscriber {
  let engine: UntilEngine
  let drainage: Drainage

  var inlet: Inlet<Input, Failure> { Inlet(engine) }

  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  func receive(subscription: any Subscription) { inlet.receive(subscription: subscription) }

  func receive(_ input: Input) -> Subscribers.Demand { inlet.receive(input) }

  func receive(completion: Subscribers.Completion<Failure>) {
    engine.transition(.completion) {
      // This closure runs under the lock, and only if the time hasn't elapsed.
      drainage.noteTimelyEnd()
      switch completion {
      case .finished: engine.sourceEnded(0, .finished, &$0)
      case .failure(let error): engine.sourceEnded(0, .failure(error), &$0)
      }
    }
  }
}

extension DrainInlet: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}

private struct DrainSubscriber<Downstream: Subscriber>: Subscriber {
  let downstream: Downstream
  let drainage: Drainage

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    defer { drainage.leave() }
    return downstream.receive(input)
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    drainage.report()
    downstream.receive(completion: completion)
  }
}

extension DrainSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("", to: Downstream.self) }
}
