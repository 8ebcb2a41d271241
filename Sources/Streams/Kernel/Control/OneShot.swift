/// The subscription of a source that sends one value and finishes: when there is a value, and it has been asked for.
///
/// `deliver` is made where the subscriber's type is known. It is called at most once, and let go of at the end.
@usableFromInline
final class OneShot: Locked<OneShot.State>, Subscription {
  @usableFromInline
  struct State {
    @usableFromInline var isReady: Bool
    @usableFromInline var isRequested = false
    @usableFromInline var isDelivering = false
    @usableFromInline var isOver = false
    @usableFromInline var deliver: ((OneShot) -> Void)?
    @usableFromInline var upstream: (any Subscription)?
  }

  @usableFromInline
  init(isReady: Bool, _ deliver: @escaping (OneShot) -> Void) {
    super.init(State(isReady: isReady, deliver: deliver))
  }

  /// Whether the value may still be followed by the completion.
  @usableFromInline
  var isActive: Bool { withLock { !$0.isOver } }

  /// Says that there is a value now.
  @usableFromInline
  func becomeReady() { advance { $0.isReady = true } }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    advance { $0.isRequested = true }
  }

  private func advance(_ change: (inout State) -> Void) {
    let deliver: ((OneShot) -> Void)? = withLock { state in
      change(&state)
      guard state.isReady, state.isRequested, !state.isDelivering, !state.isOver else { return nil }
      state.isDelivering = true
      return state.deliver.take()
    }
    deliver?(self)
  }

  /// Keeps the subscription of the source that the value is made from; a second one is cancelled.
  @usableFromInline
  func connect(_ subscription: any Subscription) -> Bool {
    let isTaken = withLock { state in
      guard !state.isOver, state.upstream == nil else { return false }
      state.upstream = subscription
      return true
    }
    if !isTaken { subscription.cancel() }
    return isTaken
  }

  /// Ends this without a value; returns false when it had ended before.
  @usableFromInline
  func finish() -> Bool {
    let (wasActive, _, _) = end()
    return wasActive
  }

  @usableFromInline
  func cancel() { end().2?.cancel() }

  private func end() -> (Bool, ((OneShot) -> Void)?, (any Subscription)?) {
    withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, state.deliver.take(), state.upstream.take())
    }
  }
}
