internal import StreamSchedulers
import Streams

/// A subscription that sends nothing by itself and writes down what is asked of it.
///
/// A subscriber may call it from any thread, so everything that changes is behind a lock.
final class ProbeSubscription: Subscription {
  private let state = Locked(RequestRecord())

  /// What has happened so far.
  var record: RequestRecord { state.withLock { $0 } }

  func request(_ demand: Subscribers.Demand) {
    let thread = ThreadIdentity.current
    state.withLock {
      $0.requestCount += 1
      if demand == .none { $0.violations[.askingForNone] = "request(.none) was called" }
      $0.noteCall("request(.\(demand))", on: thread)
      $0.demand += demand
    }
  }

  func cancel() {
    let thread = ThreadIdentity.current
    state.withLock {
      $0.cancelCount += 1
      $0.noteCall("cancel()", on: thread)
    }
  }

  /// Takes one value off the demand; returns whether there was one, and nobody has cancelled.
  func spend() -> Bool { state.withLock { $0.cancelCount == 0 && $0.spend() } }

  /// Takes one value off the demand, also after a cancellation.
  func spendLate() -> Bool { state.withLock { $0.spend() } }

  /// Adds what a subscriber has returned.
  func add(_ demand: Subscribers.Demand) { state.withLock { $0.demand += demand } }

  /// Runs work during which the subscriber gets its end, and is blamed for calls from then on.
  func end(_ deliver: () -> Void) {
    let thread = ThreadIdentity.current
    state.withLock { $0.end = .beingDelivered(on: thread) }
    deliver()
    state.withLock { $0.end = .delivered }
  }
}

/// What a subscriber has asked of a subscription.
struct RequestRecord {
  enum End {
    case ahead
    case beingDelivered(on: ThreadIdentity)
    case delivered
  }

  var demand = Subscribers.Demand.none
  var requestCount = 0
  var cancelCount = 0
  var end = End.ahead
  var violations: [ConformanceRule: String] = [:]

  mutating func spend() -> Bool {
    if demand == .none { return false }
    demand -= 1
    return true
  }

  mutating func noteCall(_ call: String, on thread: ThreadIdentity) {
    switch end {
    case .beingDelivered(let delivering) where delivering == thread:
      violations[.endWithoutTouch] = "\(call) was called from inside it"
    case .delivered:
      violations[.endForGood] = "\(call) was called"
    default:
      break
    }
  }
}
