/// The subscriber of an erased publisher that was attached at a trampoline (see ``ThreadState``). The subscription, the
/// completion, requests and cancellations also pass through a chain of unlimited length, so they go through the same
/// trampoline.
///
/// The trampoline may defer the subscription. Until downstream has received it, requests and the completion wait. Values pass
/// directly, because the demand that a subscriber returns for a value is needed immediately, and no value arrives without a
/// request.
struct TrampolineSubscriber<Input, Failure: Error>: Subscriber {
  private let downstream: AnySubscriber<Input, Failure>
  private let subscription = TrampolineSubscription()

  init(_ downstream: AnySubscriber<Input, Failure>) { self.downstream = downstream }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  var _upstreamLink: SubscriberLink? { downstream._upstreamLink }

  func receive(subscription upstream: any Subscription) {
    subscription.begin(upstream._object.object) { downstream.receive(subscription: subscription) }
  }

  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  func receive(completion: Subscribers.Completion<Failure>) {
    subscription.end { downstream.receive(completion: completion) }
  }
}

/// The subscription that a ``TrampolineSubscriber`` passes downstream.
private final class TrampolineSubscription: Locked<TrampolineSubscription.State>, Subscription, InspectedPart,
  CustomStringConvertible
{
  struct State {
    var upstream: SubscriptionObject?
    /// Indicates whether downstream has yet to receive the subscription.
    var isOnItsWay = true
    /// The demand requested before downstream received the subscription.
    var demand = Subscribers.Demand.none
    /// Sends the completion, if it arrived before downstream received the subscription.
    var end: (() -> Void)?
  }

  init() { super.init(State()) }

  func inspect(_ tell: StreamFact.Tell) {
    withLock { state in
      if let upstream = state.upstream { tell(.upstream, 0, upstream) } else { tell(.over, 0, nil) }
    }
  }

  var description: String { withLock { $0.upstream }.map { "\($0)" } ?? "a cancelled subscription" }

  /// Sends the subscription, and then the signals that have waited for it.
  func begin(_ upstream: SubscriptionObject, _ send: @escaping () -> Void) {
    withLock { $0.upstream = upstream }
    ThreadState.current.trampoline(.down) { [self] in
      send()
      let (demand, end) = withLock { state in
        state.isOnItsWay = false
        return (state.demand, state.end.take())
      }
      if let end { end() } else { request(demand) }
    }
  }

  func end(_ send: @escaping () -> Void) {
    let waits = withLock { state in
      if state.isOnItsWay { state.end = send }
      return state.isOnItsWay
    }
    if !waits { ThreadState.current.trampoline(.down, send) }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand.isRequest else { return }
    let upstream: SubscriptionObject? = withLock { state in
      if !state.isOnItsWay { return state.upstream }
      state.demand += demand
      return nil
    }
    if let upstream { ThreadState.current.trampoline(.up) { upstream.request(demand) } }
  }

  func cancel() {
    let (upstream, _) = withLock { state in
      state.demand = .none
      return (state.upstream.take(), state.end.take())
    }
    if let upstream { ThreadState.current.trampoline(.up) { upstream.cancel() } }
  }
}
