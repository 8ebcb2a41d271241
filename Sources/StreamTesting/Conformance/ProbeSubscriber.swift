import Foundation
internal import StreamSchedulers
import Streams

/// A subscriber that follows instructions and records the signals that it receives.
///
/// A publisher may send from any thread, so all mutable state is behind a lock. The lock isn't held while other code is
/// called.
final class ProbeSubscriber<Input, Failure: Error>: Subscriber {
  private let state = Locked(ProbedSignals())
  private let onSubscription: (ProbeSubscriber) -> Void
  private let onValue: (ProbeSubscriber, Int) -> Subscribers.Demand

  /// Creates a subscriber from closures that react to the subscription and to each value. Values are numbered from 1.
  init(
    onSubscription: @escaping (ProbeSubscriber) -> Void = { _ in },
    onValue: @escaping (ProbeSubscriber, Int) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
  }

  var record: ProbedSignals { state.withLock { $0 } }

  func perform(_ step: ProbeStep) {
    switch step {
    case .request(let demands): for demand in demands { request(demand) }
    case .cancel: cancel()
    }
  }

  func request(_ demand: Subscribers.Demand) {
    let subscription = state.withLock {
      $0.asked += demand
      if $0.cancellingThread != nil { $0.ruleOfLateSignals = .requestAfterCancel }
      return $0.subscription
    }
    subscription?.request(demand)
  }

  func cancel() {
    let thread = ThreadIdentity.current
    // The cancellation is recorded before the call, because a publisher may send from inside `cancel()`, which is as
    // wrong as sending afterward.
    let subscription = state.withLock {
      if $0.cancellingThread != nil { $0.ruleOfLateSignals = .cancelAgain }
      $0.cancellingThread = thread
      return $0.subscription
    }
    subscription?.cancel()
  }

  /// Returns whether a subscriber is still alive after its stream has ended, while the publisher and the subscription
  /// are retained. `play` makes the stream end.
  static func outlivesEnd<P: Publisher>(
    of publisher: P, _ make: () -> ProbeSubscriber, settle: () -> Void, play: (ProbeSubscriber) -> Void
  ) -> Bool where P.Output == Input, P.Failure == Failure {
    weak var subscriber: ProbeSubscriber?
    var hasEnded = false

    // A separate function, so nothing here retains the subscriber after it returns.
    func run() -> (any Subscription)? {
      let probe = make()
      subscriber = probe
      publisher.subscribe(probe)
      settle()
      play(probe)
      hasEnded = probe.record.completionCount > 0 || probe.record.cancellingThread != nil
      return probe.takeSubscription()
    }

    let subscription = run()
    return withExtendedLifetime((publisher, subscription)) {
      let isKept = hasEnded && subscriber != nil
      subscription?.cancel()
      settle()
      return isKept
    }
  }

  /// Removes and returns the subscription. This breaks the cycle between the subscriber and a publisher that retains
  /// it.
  func takeSubscription() -> (any Subscription)? {
    state.withLock { $0.subscription.take() }
  }

  func receive(subscription: any Subscription) {
    let isFirst = state.withLock {
      $0.subscriptionCount += 1
      // A second subscription is only counted: it's often the first one again, and cancelling it would end the check.
      if $0.subscriptionCount > 1 {
        $0.violations[.oneSubscription] = "\($0.subscriptionCount) subscriptions arrived"
        return false
      }
      $0.subscription = subscription
      return true
    }
    if isFirst { onSubscription(self) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    var marker = 0
    let address = withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
    let thread = ThreadIdentity.current
    let number = state.withLock {
      let isExpected = $0.enter("value \($0.valueCount + 1)", on: thread)
      if isExpected { $0.countValue(at: address, on: thread) }
      return isExpected && !$0.isNestedTooDeeply ? $0.valueCount : nil
    }
    let more = number.map { onValue(self, $0) } ?? .none
    state.withLock {
      $0.asked += more
      $0.leave()
    }
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let thread = ThreadIdentity.current
    state.withLock {
      let isExpected = $0.enter("a completion", on: thread)
      if isExpected { $0.completionCount += 1 }
      if isExpected, case .failure = completion { $0.hasFailed = true }
      $0.leave()
    }
  }
}

/// An instruction that a probe carries out between deliveries.
enum ProbeStep {
  /// Requests several amounts, one after the other.
  case request([Subscribers.Demand])

  case cancel

  static func request(_ demand: Subscribers.Demand) -> Self { .request([demand]) }
}

struct ProbedSignals {
  var subscription: (any Subscription)?
  var subscriptionCount = 0
  var valueCount = 0
  var completionCount = 0
  var hasFailed = false
  var asked = Subscribers.Demand.none
  var cancellingThread: ThreadIdentity?
  /// The rule that signals after a cancellation violate. It depends on the subscriber's latest call.
  var ruleOfLateSignals = ConformanceRule.cancellation

  /// Violations that are independent of the subscriber's instructions.
  var violations: [ConformanceRule: String] = [:]

  private var lateCount = 0
  private var signals: [(name: String, thread: ThreadIdentity)] = []
  private var addresses: [(address: Int, thread: ThreadIdentity)] = []

  /// Records the beginning of a signal, and returns whether the subscriber still expects signals.
  mutating func enter(_ signal: String, on thread: ThreadIdentity) -> Bool {
    defer { signals.append((signal, thread)) }
    if subscriptionCount == 0 {
      note(.subscription, "\(signal) arrived before the subscription")
    } else if completionCount > 0 {
      note(.silence, "\(signal) arrived after the completion")
    } else if let cancellingThread {
      // A signal that another thread was just delivering may still get through.
      lateCount += 1
      let isExcused = cancellingThread != thread && lateCount == 1 && ruleOfLateSignals == .cancellation
      if !isExcused { note(ruleOfLateSignals, "\(signal) arrived afterwards") }
    } else {
      if let last = signals.last {
        let location = last.thread == thread ? "in a nested call" : "on another thread"
        note(.serial, "\(signal) arrived while \(last.name) was being delivered, \(location)")
      }
      return true
    }
    return false
  }

  /// Records the end of a signal.
  ///
  /// It doesn't matter which signal: if several overlap, the violation has been recorded.
  mutating func leave() { signals.removeLast() }

  mutating func countValue(at address: Int, on thread: ThreadIdentity) {
    valueCount += 1
    addresses.append((address, thread))
    // Later numbers replace earlier ones, so the message shows the full extent.
    if asked < valueCount {
      violations[.demand] = "\(valueCount.of("value")) arrived when \(asked.max ?? 0) had been requested"
    }
  }

  mutating func note(_ rule: ConformanceRule, _ seen: String) {
    if violations[rule] == nil { violations[rule] = seen }
  }

  /// The number of bytes by which the stack grew, or `nil` if it didn't grow steadily.
  ///
  /// The stack has to be deeper in each quarter of the values than in the one before, which excludes a fixed depth and a
  /// different start or end. Stacks of different threads aren't compared.
  var growthOfStack: Int? {
    guard let first = addresses.first else { return nil }
    let depths = addresses.filter { $0.thread == first.thread }.map { abs($0.address - first.address) }
    guard depths.count >= Self.valuesForDepth else { return nil }
    let quarters = (0..<4).map { depths[depths.count * $0 / 4..<depths.count * ($0 + 1) / 4].max() ?? 0 }
    return zip(quarters, quarters.dropFirst()).allSatisfy(<) ? quarters[3] - quarters[0] : nil
  }

  /// Indicates whether deliveries are nested so deeply that the subscriber stops requesting.
  var isNestedTooDeeply: Bool { signals.count > 100 }

  /// The number of values that it takes to detect a growing stack.
  static let valuesForDepth = 16
}

struct ThreadIdentity: Equatable {
  // Retained, because otherwise another thread could get the address of a thread that has ended.
  private let thread: Thread

  static var current: Self { Self(thread: .current) }

  static func == (left: Self, right: Self) -> Bool { left.thread === right.thread }
}
