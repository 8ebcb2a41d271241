internal import Synchronization

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

@usableFromInline @inline(never)
func ignoreEmptyRequest() {
  // An assertion is evaluated in debug builds only.
  assert(
    {
      if !isEmptyRequestReported.exchange(true, ordering: .relaxed) {
        Platform.writeToStandardError(
          "warning: A subscriber has called request(_:) with a demand of .none, which is ignored, here and from now "
            + "on. To request no values, do not call request(_:); to find the call, set a breakpoint on "
            + "ignoreEmptyRequest.\n")
      }
      return true
    }())
}
