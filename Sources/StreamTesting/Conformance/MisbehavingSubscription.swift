internal import StreamSchedulers
import Streams

/// A subscription to a misbehaving publisher. It decides which signal comes next, and sends it.
///
/// ``MisbehavingState`` makes all decisions, under a lock. All signals are sent outside the lock.
final class MisbehavingSubscription<S: Subscriber>: Subscription, InterruptibleDelivery {
  private let publisher: MisbehavingPublisher<S.Input, S.Failure>
  private let state: Locked<MisbehavingState<S>>

  init(_ publisher: MisbehavingPublisher<S.Input, S.Failure>, _ subscriber: S) {
    self.publisher = publisher
    state = Locked(
      MisbehavingState(
        subscriber, publisher.misbehavior, count: publisher.values.count, sendsByTimer: publisher.arm != nil))
  }

  /// Begins to send. Called once `receive(subscription:)` has returned.
  func begin() {
    state.withLock { $0.begin() }
    send()
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest, state.withLock({ $0.request(demand) }) else { return }
    overlap()
    send()
  }

  func cancel() {
    let (rest, timer) = state.withLock { ($0.cancel(), $0.disarm()) }
    timer?.cancel()
    switch rest {
    case .none: break
    case .subscriber(let subscriber):
      if publisher.misbehavior == .retainsSubscriberAfterCancel { publisher.retain(subscriber) }
    case .signal(let signal): deliver(signal)
    }
  }

  func overlap() {
    guard let signal = state.withLock({ $0.overlappingSignal() }) else { return }
    switch publisher.misbehavior {
    case .overlapsOnAnotherThread:
      let caller = CallOnAnotherThread()
      caller.call { self.pass(signal) }
      // A signal that has to wait counts as overlapping from now on, so no other signal follows.
      state.withLock { state in
        if caller.isWaiting { state.waitingOverlap = caller } else { state.isOverlapping = false }
      }
    default:
      pass(signal)
      state.withLock { $0.isOverlapping = false }
    }
  }

  // MARK: Sending

  /// Sends the signals that may be sent now, unless another call is sending.
  private func send() {
    guard state.withLock({ $0.claim() }) else { return }
    publisher.begin(self)
    defer { publisher.end(self) }
    while true {
      switch state.withLock({ $0.next() }) {
      case .signal(let signal): deliver(signal)
      case .arm(let number): return arm(number)
      case .nothing(let subscriber): return withExtendedLifetime(subscriber) {}
      }
    }
  }

  private func arm(_ number: Int) {
    guard let arm = publisher.arm else { return }
    let timer = arm {
      if self.state.withLock({ $0.fire(number) }) { self.send() }
    }
    let isKept = state.withLock { $0.keep(timer, number) }
    if !isKept { timer.cancel() }
  }

  /// Delivers a signal, on the thread that the misbehavior requires.
  private func deliver(_ signal: MisbehavingState<S>.Signal) {
    if signal.isOnAnotherThread {
      let caller = CallOnAnotherThread()
      caller.call { self.pass(signal) }
      if caller.isWaiting { stop() }
    } else {
      pass(signal)
      // If the subscriber has made another thread wait, that thread can continue now: its signal comes before the next
      // one.
      let overlap = state.withLock { $0.waitingOverlap.take() }
      if overlap?.returnsNow() == false { stop() }
    }
  }

  /// Stops sending, because a signal is waiting on another thread, and later signals would overtake it.
  private func stop() { withExtendedLifetime(state.withLock { $0.stop() }) {} }

  private func pass(_ signal: MisbehavingState<S>.Signal) {
    switch signal.kind {
    case .value(let index):
      let more = signal.subscriber.receive(publisher.values[index])
      state.withLock { $0.add(more) }
    case .completion:
      if publisher.misbehavior == .retainsSubscriberAfterCompletion { publisher.retain(signal.subscriber) }
      signal.subscriber.receive(completion: publisher.completion)
      if publisher.misbehavior == .completesTwice { signal.subscriber.receive(completion: publisher.completion) }
      if publisher.misbehavior == .sendsAfterCompletion, let last = publisher.values.last {
        _ = signal.subscriber.receive(last)
      }
    }
  }
}

/// The state of a subscription to a misbehaving publisher. No method calls code outside this type.
struct MisbehavingState<S: Subscriber> {
  struct Signal {
    enum Kind {
      case value(Int)

      case completion
    }

    let subscriber: S
    let kind: Kind
    var isOnAnotherThread = false
  }

  /// The work that remains after a cancellation.
  enum Rest {
    case none

    case subscriber(S)

    /// Sends a signal, and releases the subscriber.
    case signal(Signal)
  }

  enum Step {
    case signal(Signal)

    /// Arms a timer with a number.
    case arm(Int)

    /// Waits for a request, or releases the subscriber if it has cancelled.
    case nothing(S?)
  }

  /// The call on another thread that hasn't returned, although the delivery in progress waited for it.
  var waitingOverlap: CallOnAnotherThread?

  /// Indicates whether a signal overlaps the delivery in progress.
  var isOverlapping = false

  private let misbehavior: Misbehavior?
  private let count: Int
  private let sendsByTimer: Bool

  /// The subscriber, until the end.
  private var subscriber: S?
  private var demand = Subscribers.Demand.none
  private var index = 0

  /// Indicates whether `receive(subscription:)` hasn't returned yet.
  private var isBeginning = true
  private var isSending = false
  private var isCancelled = false

  /// Indicates whether a signal must be sent because of the cancellation.
  private var owesLateSignal = false

  /// Indicates whether the interval before the next value has passed.
  private var isDue = false
  private var armedNumber: Int?
  private var timerCount = 0
  private var timer: (any Cancellable)?

  init(_ subscriber: S, _ misbehavior: Misbehavior?, count: Int, sendsByTimer: Bool) {
    self.subscriber = subscriber
    self.misbehavior = misbehavior
    self.count = count
    self.sendsByTimer = sendsByTimer
  }

  private var hasValues: Bool { index < count }

  mutating func begin() {
    isBeginning = false
    if misbehavior == .sendsWithoutDemand, !isCancelled { demand += 1 }
  }

  /// Adds demand, unless the subscription is over. Returns whether it did.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard !isCancelled, subscriber != nil else { return false }
    demand = misbehavior == .sendsBeyondDemand ? .unlimited : demand + more
    return true
  }

  /// Adds the demand that `receive(_:)` has returned for a value.
  mutating func add(_ more: Subscribers.Demand) {
    if !isCancelled { demand += more }
  }

  // MARK: Sending

  /// Returns whether the caller may send now. If so, other calls may not until it's done.
  mutating func claim() -> Bool {
    let mayBegin = !isBeginning || misbehavior == .sendsInsideSubscription && !sendsByTimer
    guard !isSending, mayBegin, subscriber != nil else { return false }
    isSending = true
    return true
  }

  /// Returns the next step of the sending call. Each step other than a signal ends the call.
  mutating func next() -> Step {
    guard let subscriber else { return pause() }
    if owesLateSignal { return lateSignal().map(Step.signal) ?? pause() }
    guard hasValues else { return .signal(completionSignal(to: subscriber)) }
    guard demand > .none else { return pause() }
    guard isDue || !sendsByTimer else {
      isSending = false
      guard armedNumber == nil else { return .nothing(nil) }
      timerCount += 1
      armedNumber = timerCount
      return .arm(timerCount)
    }
    return .signal(valueSignal(to: subscriber))
  }

  private mutating func pause() -> Step {
    isSending = false
    // If a cancellation was ignored, all demand has been served by now.
    return .nothing(isCancelled ? subscriber.take() : nil)
  }

  private mutating func valueSignal(to subscriber: S) -> Signal {
    defer { index += 1 }
    demand -= 1
    isDue = false
    let isSecond = !index.isMultiple(of: 2)
    return Signal(
      subscriber: subscriber, kind: .value(index), isOnAnotherThread: misbehavior == .changesThreads && isSecond)
  }

  private mutating func completionSignal(to subscriber: S) -> Signal {
    self.subscriber = nil
    return Signal(subscriber: subscriber, kind: .completion, isOnAnotherThread: misbehavior == .changesThreads)
  }

  /// Returns the signal that overlaps the delivery in progress, if the misbehavior and the state permit one.
  mutating func overlappingSignal() -> Signal? {
    guard isSending, !isOverlapping, !isCancelled, let subscriber else { return nil }
    switch misbehavior {
    case .nestsValues, .overlapsOnAnotherThread:
      guard hasValues, demand > .none else { return nil }
      isOverlapping = true
      return valueSignal(to: subscriber)
    case .completesDuringValue:
      guard !hasValues else { return nil }
      isOverlapping = true
      return completionSignal(to: subscriber)
    default: return nil
    }
  }

  /// Ends the subscription without a signal, and returns the subscriber to release.
  mutating func stop() -> S? { subscriber.take() }

  // MARK: Cancelling

  mutating func cancel() -> Rest {
    guard !isCancelled, let subscriber else { return .none }
    isCancelled = true
    switch misbehavior {
    case .ignoresCancellation where isSending || demand > .none: return .none
    case .sendsFromCancel, .completesFromCancel, .sendsLateOnAnotherThread:
      owesLateSignal = true
      if isSending { return .none }
      if let signal = lateSignal() { return .signal(signal) }
      self.subscriber = nil
      return .subscriber(subscriber)
    default:
      self.subscriber = nil
      return .subscriber(subscriber)
    }
  }

  /// Returns the signal that a cancellation has caused, or `nil` if there's no value left.
  private mutating func lateSignal() -> Signal? {
    guard let subscriber else { return nil }
    if misbehavior == .completesFromCancel { return completionSignal(to: subscriber) }
    guard hasValues else { return nil }
    self.subscriber = nil
    var signal = valueSignal(to: subscriber)
    signal.isOnAnotherThread = misbehavior == .sendsLateOnAnotherThread
    return signal
  }

  // MARK: Timers

  /// Returns the timer to cancel, unless values are still to be sent.
  mutating func disarm() -> (any Cancellable)? {
    guard subscriber == nil else { return nil }
    armedNumber = nil
    return timer.take()
  }

  /// Keeps a timer if it's still needed, and returns whether it is.
  mutating func keep(_ timer: any Cancellable, _ number: Int) -> Bool {
    guard armedNumber == number else { return false }
    self.timer = timer
    return true
  }

  /// Notes that a timer has fired, and returns whether it's still needed.
  mutating func fire(_ number: Int) -> Bool {
    guard armedNumber == number else { return false }
    armedNumber = nil
    isDue = true
    return true
  }
}
