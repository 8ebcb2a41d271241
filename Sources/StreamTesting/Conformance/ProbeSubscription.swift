internal import StreamSchedulers
import Streams

/// A subscription that doesn't send anything by itself, and records its subscriber's calls.
///
/// A subscriber may call it from any thread, so all mutable state is behind a lock.
final class ProbeSubscription: Subscription {
  private let state = Locked(RequestRecord())
  private let onRequest: (ProbeSubscription) -> Void

  /// Creates a subscription from a closure that's called from inside each request for values, and may deliver signals
  /// there.
  init(onRequest: @escaping (ProbeSubscription) -> Void = { _ in }) { self.onRequest = onRequest }

  /// The calls recorded so far.
  var record: RequestRecord { state.withLock { $0 } }

  func request(_ demand: Subscribers.Demand) {
    let thread = ThreadIdentity.current
    state.withLock {
      $0.requestCount += 1
      if demand == .none { $0.violations[.askingForNone] = "request(.none) was called" }
      $0.noteCall("request(.\(demand))", on: thread)
      $0.demand += demand
    }
    if demand > .none { onRequest(self) }
  }

  func cancel() {
    let thread = ThreadIdentity.current
    state.withLock {
      $0.cancelCount += 1
      $0.noteCall("cancel()", on: thread)
    }
  }

  /// Subtracts one from the demand, if there's any and the subscription hasn't been cancelled. Returns whether it did.
  func spend() -> Bool { state.withLock { $0.cancelCount == 0 && $0.spend() } }

  /// Subtracts one from the demand, even after a cancellation, and returns whether there was any.
  func spendLate() -> Bool { state.withLock { $0.spend() } }

  func add(_ demand: Subscribers.Demand) { state.withLock { $0.demand += demand } }

  /// Calls a closure that delivers the terminal event, and records calls from then on as violations.
  func end(_ deliver: () -> Void) {
    deliverEnd(deliver)
    state.withLock { $0.end = .delivered }
  }

  /// Calls a closure that delivers the terminal event, and records calls from inside it as violations.
  func deliverEnd(_ deliver: () -> Void) {
    let thread = ThreadIdentity.current
    state.withLock { $0.end = .beingDelivered(on: thread) }
    deliver()
    state.withLock { $0.end = .ahead }
  }
}

/// The record of a subscription: its demand and its subscriber's calls.
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
      violations[.endWithoutTouch] = "\(call) was called from inside receive(completion:)"
    case .delivered:
      violations[.endForGood] = "\(call) was called after the completion"
    default:
      break
    }
  }
}
