/// The subscription to a source that sends one value and finishes, once the value is available and has been requested.
///
/// The closure that delivers is created where the subscriber's type is known. It's called at most once, and released at
/// the end.
@usableFromInline
package final class SingleValueSource: Locked<SingleValueSource.State>, Subscription {
  @usableFromInline
  package struct State {
    var isReady = false
    var isRequested = false
    var isOver = false
    var work: Work?
    var upstream: SubscriptionObject?
  }

  struct Work {
    /// The object that holds the subscriber, for inspection.
    let sender: AnyObject
    let deliver: (SingleValueSource) -> Void
  }

  /// Creates the subscription of an operator, which has to connect it to upstream.
  @usableFromInline
  package init() { super.init(State()) }

  /// Creates the subscription to a source that delivers its value with a closure.
  @usableFromInline
  package init(of sender: AnyObject, _ deliver: @escaping (SingleValueSource) -> Void) {
    super.init(State(work: Work(sender: sender, deliver: deliver)))
  }

  /// Indicates whether this has neither ended nor been cancelled.
  @usableFromInline
  package var isActive: Bool { withLock { !$0.isOver } }

  /// Stores the subscription of the source that produces the value, and the closure that delivers the value. Cancels a second
  /// subscription.
  @usableFromInline
  package func connect(
    _ subscription: any Subscription, of sender: AnyObject, _ deliver: @escaping (SingleValueSource) -> Void
  ) -> Bool {
    let object = subscription._object.object
    let isTaken = withLock { state in
      guard !state.isOver, state.upstream == nil, state.work == nil else { return false }
      state.upstream = object
      state.work = Work(sender: sender, deliver: deliver)
      return true
    }
    if !isTaken { subscription.cancel() }
    return isTaken
  }

  /// Stores a subscription to cancel together with this one, or cancels it now if this one has ended.
  @usableFromInline
  package func onCancel(_ subscription: any Subscription) {
    let object = subscription._object.object
    let isOver = withLock { state in
      if !state.isOver { state.upstream = object }
      return state.isOver
    }
    if isOver { object.cancel() }
  }

  /// Records that the value, or an end that doesn't wait for demand, is available. Releases the source, which is no longer
  /// needed.
  @usableFromInline
  package func becomeReady(cancelsUpstream: Bool = false, waitsForDemand: Bool = true) {
    let upstream = withLock { $0.upstream.take() }
    if cancelsUpstream { upstream?.cancel() }
    let context = ContextSnapshot.captured()
    advance { state in
      state.isReady = true
      // A value that waits for a request is delivered under the context in which it was sent.
      if let context, !state.isRequested, let work = state.work {
        state.work = Work(sender: work.sender) { source in context.run { work.deliver(source) } }
      }
      if !waitsForDemand { state.isRequested = true }
    }
  }

  /// Records that the value is available. Called when the subscriber has received its subscription.
  @usableFromInline
  package func begin() { advance { $0.isReady = true } }

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    advance { $0.isRequested = true }
  }

  private func advance(_ change: (inout State) -> Void) {
    let work: Work? = withLock { state in
      change(&state)
      return state.isReady && state.isRequested && !state.isOver ? state.work.take() : nil
    }
    work?.deliver(self)
  }

  /// Ends the source. Returns false if it had already ended.
  @usableFromInline
  package func finish(cancelsUpstream: Bool = false) -> Bool {
    let (wasActive, _, upstream) = withLock { state in
      defer { state.isOver = true }
      return (!state.isOver, state.work.take(), state.upstream.take())
    }
    if cancelsUpstream { upstream?.cancel() }
    return wasActive
  }

  @usableFromInline
  package func cancel() { _ = finish(cancelsUpstream: true) }

  deinit { assert(noteUnusedSubscription(if: withLock { !$0.isOver && !$0.isRequested })) }
}
