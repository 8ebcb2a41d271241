/// The subscription of something that sends one value and finishes: when there is a value, and it has been asked for.
///
/// `deliver` is made where the subscriber's type is known. It is called at most once, and let go of at the end.
@usableFromInline
final class OneShot: Locked<OneShot.State>, Subscription {
  @usableFromInline
  struct State {
    var isReady: Bool
    var isRequested = false
    var isOver = false
    var work: Work?
    var upstream: SubscriptionObject?
  }

  /// What delivers; in a struct, because a bare closure that comes out of generic code is wrapped each time.
  @usableFromInline
  struct Work {
    let deliver: (OneShot) -> Void
  }

  @usableFromInline
  init(isReady: Bool, _ deliver: ((OneShot) -> Void)? = nil) {
    super.init(State(isReady: isReady, work: deliver.map { Work(deliver: $0) }))
  }

  /// Whether this has not ended and was not cancelled.
  @usableFromInline
  var isActive: Bool { withLock { !$0.isOver } }

  /// Keeps the subscription of the source that the value is made from; a second one is cancelled.
  @usableFromInline
  func connect(_ subscription: any Subscription, _ deliver: @escaping (OneShot) -> Void) -> Bool {
    let object = subscription._object
    let isTaken = withLock { state in
      guard !state.isOver, state.upstream == nil, state.work == nil else { return false }
      state.upstream = object
      state.work = Work(deliver: deliver)
      return true
    }
    if !isTaken { subscription.cancel() }
    return isTaken
  }

  /// Cancels something when this is cancelled.
  @usableFromInline
  func onCancel(_ subscription: any Subscription) {
    let object = subscription._object
    withLock { $0.upstream = object }
  }

  /// Says that there is a value now, or an end that does not wait for demand; the source is not needed any more.
  @usableFromInline
  func becomeReady(cancelsUpstream: Bool = false, waitsForDemand: Bool = true) {
    let upstream = withLock { $0.upstream.take() }
    if cancelsUpstream { upstream?.cancel() }
    advance { state in
      state.isReady = true
      if !waitsForDemand { state.isRequested = true }
    }
  }

  /// Says that there is a value, to a subscriber that has its subscription now.
  @usableFromInline
  func begin() { advance { $0.isReady = true } }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    demand.requirePositive()
    advance { $0.isRequested = true }
  }

  private func advance(_ change: (inout State) -> Void) {
    let work: Work? = withLock { state in
      change(&state)
      return state.isReady && state.isRequested && !state.isOver ? state.work.take() : nil
    }
    work?.deliver(self)
  }

  /// Ends this; returns false when it had ended before.
  @usableFromInline
  func finish(cancelsUpstream: Bool = false) -> Bool {
    let (wasActive, _, upstream) = end()
    if cancelsUpstream { upstream?.cancel() }
    return wasActive
  }

  @usableFromInline
  func cancel() {
    let (_, _, upstream) = end()
    upstream?.cancel()
  }

  private func end() -> (wasActive: Bool, work: Work?, upstream: SubscriptionObject?) {
    withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, state.work.take(), state.upstream.take())
    }
  }
}
