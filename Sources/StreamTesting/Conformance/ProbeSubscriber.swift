import Foundation
internal import StreamSchedulers
import Streams

/// A subscriber that does what it is told and writes down what happens to it.
///
/// A publisher may send from any thread, so everything that changes is behind a lock. Nothing is called out while that
/// is held.
final class ProbeSubscriber<Input, Failure: Error>: Subscriber {
  private let state = Locked(SignalRecord())
  private let onSubscription: (ProbeSubscriber) -> Void
  private let onValue: (ProbeSubscriber, Int) -> Subscribers.Demand

  /// Makes a subscriber that reacts to the subscription, and to each value, of which it gets the number from 1.
  init(
    onSubscription: @escaping (ProbeSubscriber) -> Void = { _ in },
    onValue: @escaping (ProbeSubscriber, Int) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.onSubscription = onSubscription
    self.onValue = onValue
  }

  /// What has happened so far.
  var record: SignalRecord { state.withLock { $0 } }

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
    // Noted before, because a publisher may send from inside `cancel()`, which is as wrong as sending afterwards.
    let subscription = state.withLock {
      if $0.cancellingThread != nil { $0.ruleOfLateSignals = .cancelAgain }
      $0.cancellingThread = thread
      return $0.subscription
    }
    subscription?.cancel()
  }

  /// Gives the subscription away, so that the subscriber and a publisher that keeps it do not keep each other.
  func takeSubscription() -> (any Subscription)? {
    state.withLock { $0.subscription.take() }
  }

  func receive(subscription: any Subscription) {
    let isFirst = state.withLock {
      $0.subscriptionCount += 1
      // The second one is only counted: it is often the first one again, and cancelling it would end the check.
      if $0.subscriptionCount > 1 {
        $0.violations[.subscription] = "\($0.subscriptionCount) subscriptions came"
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
      return isExpected ? $0.valueCount : nil
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

/// What a probe does on its own account.
enum ProbeStep {
  /// Asks for several amounts, one after the other.
  case request([Subscribers.Demand])

  case cancel

  static func request(_ demand: Subscribers.Demand) -> Self { .request([demand]) }
}

/// What a probe has seen.
struct SignalRecord {
  var subscription: (any Subscription)?
  var subscriptionCount = 0
  var valueCount = 0
  var completionCount = 0
  var hasFailed = false
  var asked = Subscribers.Demand.none
  var cancellingThread: ThreadIdentity?
  /// The rule that forbids signals after a cancellation: what was done last decides.
  var ruleOfLateSignals = ConformanceRule.cancellation

  /// What is wrong with the signals as such, whatever the subscriber was told to do.
  var violations: [ConformanceRule: String] = [:]

  private var lateCount = 0
  private var signals: [(name: String, thread: ThreadIdentity)] = []
  private var addresses: [(address: Int, thread: ThreadIdentity)] = []

  /// Notes that a signal begins; returns whether the subscriber still expects signals.
  mutating func enter(_ signal: String, on thread: ThreadIdentity) -> Bool {
    defer { signals.append((signal, thread)) }
    if subscriptionCount == 0 {
      note(.subscription, "\(signal) came before the subscription")
    } else if completionCount > 0 {
      note(.silence, "\(signal) came after the completion")
    } else if let cancellingThread {
      // What another thread was just delivering may still get through.
      lateCount += 1
      let isExcused = cancellingThread != thread && lateCount == 1 && ruleOfLateSignals == .cancellation
      if !isExcused { note(ruleOfLateSignals, "\(signal) came after that") }
    } else {
      if let last = signals.last {
        let place = last.thread == thread ? "from inside it" : "on another thread"
        note(.serial, "\(signal) came while \(last.name) was being delivered, \(place)")
      }
      return true
    }
    return false
  }

  /// Notes that a signal has been dealt with.
  ///
  /// Which one does not matter: when several overlap, this has been noted.
  mutating func leave() { signals.removeLast() }

  mutating func countValue(at address: Int, on thread: ThreadIdentity) {
    valueCount += 1
    addresses.append((address, thread))
    // Later figures replace earlier ones, so that they show how far it goes.
    if asked < valueCount {
      violations[.demand] = "\(valueCount.of("value")) came when \(asked.max ?? 0) had been asked for"
    }
  }

  mutating func note(_ rule: ConformanceRule, _ seen: String) {
    if violations[rule] == nil { violations[rule] = seen }
  }

  /// By how many bytes the stack got deeper, if it did so all the time.
  ///
  /// Deeper in each quarter of the values than in the one before: a publisher that takes another way at the start or
  /// at the end, or that recurses to a fixed depth, does not do that. Stacks of different threads are not compared.
  var growthOfStack: Int? {
    guard let first = addresses.first else { return nil }
    let depths = addresses.filter { $0.thread == first.thread }.map { abs($0.address - first.address) }
    guard depths.count >= Self.valuesForDepth else { return nil }
    let quarters = (0..<4).map { depths[depths.count * $0 / 4..<depths.count * ($0 + 1) / 4].max() ?? 0 }
    return zip(quarters, quarters.dropFirst()).allSatisfy(<) ? quarters[3] - quarters[0] : nil
  }

  /// How many values it takes to tell whether the stack gets deeper and deeper.
  static let valuesForDepth = 16
}

/// What tells one thread from others that live at the same time.
struct ThreadIdentity: Equatable {
  private let thread: ObjectIdentifier

  static var current: Self { Self(thread: ObjectIdentifier(Thread.current)) }
}
