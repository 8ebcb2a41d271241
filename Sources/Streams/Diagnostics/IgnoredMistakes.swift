internal import Synchronization

// Mistakes that have no effect and would otherwise go unnoticed. Debug builds report them on standard error.

extension Subscribers.Demand {
  /// Indicates whether this demand, passed to `request(_:)`, is for any values. Every subscription ignores a request for no
  /// values. Debug builds report the first one, which is probably a miscalculation.
  @inlinable
  package var isRequest: Bool {
    if self != .none { return true }
    ignoreEmptyRequest()
    return false
  }
}

private let isEmptyRequestReported = OnceFlag()
private let isLateValueReported = OnceFlag()
private let isUnusedSubscriptionReported = OnceFlag()
private let isMissingSubscriptionReported = OnceFlag()
private let isMissingRequestReported = OnceFlag()
private let isBusyLoopReported = OnceFlag()
private let isBusyOperatorReported = OnceFlag()

@usableFromInline @inline(never)
package func ignoreEmptyRequest() {
  warnOnce(
    isEmptyRequestReported,
    "A subscriber called request(_:) with a demand of .none. Such requests are ignored, and only the first is reported. If "
      + "you don't want values, don't call request(_:). To find the call, set a breakpoint on ignoreEmptyRequest.")
}

/// Ignores a value that was sent to a subject after the subject's completion. Debug builds report the first such value.
@usableFromInline @inline(never)
package func ignoreLateValue() {
  warnOnce(
    isLateValueReported,
    "A value was sent to a subject after its completion. Such values are dropped, and only the first is reported. Use a "
      + "new subject, or a subject or relay that doesn't end. To find the call, set a breakpoint on ignoreLateValue.")
}

/// Reports the first subscription to a demand-driven source that's released without a request or a cancellation, and so without a
/// value. Called in assertions.
func noteUnusedSubscription(if isUnused: Bool) -> Bool {
  if isUnused {
    warnOnce(
      isUnusedSubscriptionReported,
      "A subscriber released its subscription without calling request(_:) or cancel(), so it receives no values. Only the "
        + "first such subscriber is reported. In receive(subscription:), request values, or store the subscription and "
        + "request them later. (If the subscriber is an operator such as first(), its publisher sent no subscription.) To "
        + "find the subscriber, set a breakpoint on noteUnusedSubscription.")
  }
  return true
}

/// Reports the first signal that a sink receives before a subscription. The signal is still handled, as in Combine. Called in
/// assertions.
func noteMissingSubscription(if isMissing: Bool) -> Bool {
  if isMissing {
    warnOnce(
      isMissingSubscriptionReported,
      "A publisher sent a value or a completion to a sink without a subscription, so nothing can cancel it. In "
        + "receive(subscriber:), call subscriber.receive(subscription:) first. To find the publisher, set a breakpoint on "
        + "noteMissingSubscription.")
  }
  return true
}

/// Reports the first value that a subject drops because of a mistake. Called in assertions.
///
/// A subscriber that has requested values chooses when to request more, so a drop isn't a mistake, unless an operator or a loop
/// downstream lacks room.
func noteDroppedValue(hasRequested: Bool, for subscriber: Any) -> Bool {
  if !noteBusyReceiver(from: subscriber), !hasRequested { noteMissingRequest() }
  return true
}

/// Reports a dropped value if an operator or a loop downstream, found by following the subscribers, requests only as many values
/// as it has room for. Returns whether there's one.
private func noteBusyReceiver(from subscriber: Any) -> Bool {
  var part: Any? = subscriber
  // The limit keeps the report from following an endless chain.
  for _ in 0..<1_000 {
    guard let current = part else { return false }
    if let (limitingOperator, subscriber) = (current as? any SlotSubscriber)?.limit {
      if let limitingOperator {
        if !limitingOperator.isEmpty { noteBusyOperator(limitingOperator) }
        return true
      }
      part = subscriber
    } else if (current as? any Subscriber)?._upstreamLink?.link.isBusyLoop == true {
      return noteBusyLoop()
    } else if let erased = current as? any ErasedSubscriber {
      part = erased.base
    } else {
      // Every operator's subscriber has this property.
      part = Mirror(reflecting: current).descendant("downstream")
    }
  }
  return false
}

private protocol ErasedSubscriber {
  var base: (any Subscriber)? { get }
}

extension AnySubscriber: ErasedSubscriber {}

private func noteBusyOperator(_ name: String) {
  warnOnce(
    isBusyOperatorReported,
    "A subject dropped a value because \(name) hadn't requested it. Only the first such value is reported. The operator "
      + "requests as many values as it has room for, and the subject doesn't store any. To keep these values, put "
      + "buffer(size:prefetch:whenFull:) with .byRequest right after the subject, or use a BoundedSubject, whose senders "
      + "wait. To find the subject, set a breakpoint on noteBusyOperator.")
}

func noteBusyLoop() -> Bool {
  warnOnce(
    isBusyLoopReported,
    "A subject dropped a value because a loop over values (or run) was still handling another one. Only the first such "
      + "value is reported. To keep these values, or to drop them on purpose, use values(bounded:whenFull:). To find the "
      + "subject, set a breakpoint on noteBusyLoop.")
  return true
}

private func noteMissingRequest() {
  warnOnce(
    isMissingRequestReported,
    "A subject dropped a value because a subscriber has requested none since it subscribed. Only the first such value is "
      + "reported. In receive(subscription:), call subscription.request(_:). To find the subject, set a breakpoint on "
      + "noteMissingRequest.")
}

/// A watch that warns if a connectable publisher had a subscriber but was never connected. It exists only in debug builds.
@usableFromInline
package final class ConnectionWatch: Sendable {
  private let publisher: String
  private let cure: String
  private let hadSubscriber = Atomic(false)
  private let wasConnected = Atomic(false)

  private init(_ publisher: String, _ cure: String) {
    self.publisher = publisher
    self.cure = cure
  }

  /// Returns a watch in debug builds, and `nil` in others.
  package static func made(
    for publisher: @autoclosure () -> String, cure: @autoclosure () -> String
  ) -> ConnectionWatch? {
    var watch: ConnectionWatch?
    assert(
      {
        watch = ConnectionWatch(publisher(), cure())
        return true
      }())
    return watch
  }

  @usableFromInline
  package func noteSubscriber() { hadSubscriber.store(true, ordering: .relaxed) }

  @usableFromInline
  package func noteConnection() { wasConnected.store(true, ordering: .relaxed) }

  deinit {
    guard hadSubscriber.load(ordering: .relaxed), !wasConnected.load(ordering: .relaxed) else { return }
    warn("\(publisher) had a subscriber but was never connected, so it sent nothing. \(cure)")
  }
}

extension ConnectionWatch {
  /// Returns a watch for a publisher that `multicast` or `makeConnectable()` creates.
  @usableFromInline
  package static func made(for upstream: Any.Type) -> ConnectionWatch? {
    made(
      for: "The publisher of multicast or makeConnectable()",
      cure: "Call autoconnect() on it, or keep the result of connect(). It publishes the values of \(upstream).")
  }
}

/// Writes a warning about a mistake to standard error, in debug builds.
package func warn(_ text: @autoclosure () -> String) {
  // An assertion is evaluated in debug builds only.
  assert(
    {
      Platform.writeToStandardError("warning: \(text())\n")
      return true
    }())
}

/// A flag that is set once, for a single report.
package final class OnceFlag: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// Sets the flag. Returns whether it wasn't set before.
  package func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}

/// Writes a warning in debug builds, but only once for each flag.
package func warnOnce(_ flag: OnceFlag, _ text: @autoclosure () -> String) {
  assert(
    {
      if flag.set() { warn(text()) }
      return true
    }())
}
