internal import Synchronization

// Mistakes that have no effect, and would go unnoticed. Debug builds report them on standard error.

extension Subscribers.Demand {
  /// Indicates whether this demand, which a subscriber has passed to `request(_:)`, is for any value. Every
  /// subscription asks first, and ignores a request for none. The first such request is reported in debug builds,
  /// because it is more likely a miscalculation than intended.
  @inlinable
  package var isRequest: Bool {
    if self != .none { return true }
    ignoreEmptyRequest()
    return false
  }
}

private let isEmptyRequestReported = Atomic(false)
private let isLateValueReported = Atomic(false)
private let isUnusedSubscriptionReported = Atomic(false)

@usableFromInline @inline(never)
func ignoreEmptyRequest() {
  warnOnce(
    isEmptyRequestReported,
    "A subscriber has called request(_:) with a demand of .none, which is ignored, here and from now on. To request no "
      + "values, do not call request(_:); to find the call, set a breakpoint on ignoreEmptyRequest.")
}

/// Ignores a value that was sent to a subject after its completion. The first one is reported in debug builds.
@usableFromInline @inline(never)
func ignoreLateValue() {
  warnOnce(
    isLateValueReported,
    "A value was sent to a subject after its completion, and is dropped, here and from now on. Nothing follows a "
      + "completion; use a subject or a relay that does not end, or a new one. To find the call, set a breakpoint on "
      + "ignoreLateValue.")
}

#if DEBUG
  /// Reports the first subscription of a source on demand that is released without a request and without a cancellation:
  /// no value can follow.
  func noteUnusedSubscription() {
    warnOnce(
      isUnusedSubscriptionReported,
      "A subscriber has released its subscription without calling request(_:) or cancel(), so it receives no values, here "
        + "and perhaps elsewhere. In receive(subscription:), request values, or store the subscription for a later "
        + "request. To find the subscriber, set a breakpoint on noteUnusedSubscription.")
  }
#endif

/// Writes a warning about a mistake to standard error, in debug builds.
package func warn(_ text: @autoclosure () -> String) {
  // An assertion is evaluated in debug builds only.
  assert(
    {
      Platform.writeToStandardError("warning: \(text())\n")
      return true
    }())
}

private func warnOnce(_ isReported: borrowing Atomic<Bool>, _ text: @autoclosure () -> String) {
  assert(
    {
      if !isReported.exchange(true, ordering: .relaxed) { warn(text()) }
      return true
    }())
}
