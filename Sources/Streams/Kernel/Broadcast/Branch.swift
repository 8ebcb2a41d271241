/// A subscriber of a broadcast, as the broadcast sees it. It knows the types of values and errors, but not of the
/// subscriber, which is stored in a ``SubscriberBranch``.
@usableFromInline @_fixed_layout
class Branch<Output, Failure: Error>: AnyBranch {
  @usableFromInline typealias Receive = (Branch, Output, _ version: Version) -> Subscribers.Demand

  /// Delivers a value if the subscription lets it pass, or leaves it for later. A value of the version
  /// ``Version/atOnce`` is delivered regardless of the subscription. Created like ``AnyBranch/act``.
  // Exclusive: replaced only before the branch is on the list. Not copyable, like `act`.
  @usableFromInline @exclusivity(unchecked) final private(set) var receive: Receiver

  @inlinable
  init(
    _ subscription: BroadcastSubscription, _ subscribers: SubscriberList, of owner: AnyObject,
    receive: @escaping Receive, act: @escaping Act
  ) {
    self.receive = Receiver(closure: receive)
    super.init(subscription, subscribers, of: owner, act: act)
  }

  @inlinable
  final var broadcast: Broadcast<Output, Failure> { unsafeDowncast(subscribers, to: Broadcast.self) }

  /// Performs the actions that involve values. Returns the additional demand of downstream.
  ///
  /// Never inlined: compiled once for each value type.
  @inlinable @inline(never)
  final func actOnValues(_ action: Action) -> Subscribers.Demand {
    switch action {
    case .deliverNext:
      var value: Output?
      let isWanted = dequeue { value = unsafeDowncast($0, to: Backlog.self).values.removeExistingFirst() }
      if isWanted, let value { return receive(self, value, .atOnce) }
    case .replay:
      if let (value, version, context) = broadcast.currentValue, isNewer(version) {
        guard let context else { return receive(self, value, .atOnce) }
        var more = Subscribers.Demand.none
        context.run { more = receive(self, value, .atOnce) }
        return more
      }
    case .enqueueMissed: enqueueMissed(from: broadcast)
    case .count: beginCounting()
    case .receiveSubscription, .receiveCompletion: break
    }
    return .none
  }

  /// Begins to count values. Neither inlined nor compiled for each value type.
  @usableFromInline
  final func beginCounting() {
    let counter = BranchCounter(receive.closure)
    receive = Receiver { counter.receive($0, $1, $2) }
    self.counter = counter
  }

  /// Delivers a value if there is demand and no delivery is in progress.
  ///
  /// A function of its own, so that the code called for every value stays small.
  @inlinable @inline(never)
  final func receiveGuarded(_ value: Output, version: Version) {
    let isMine = accept(version, { Backlog() }) {
      unsafeDowncast($0, to: Backlog.self).values.append(value)
    }
    if isMine { endDelivering(receive(self, value, .atOnce)) }
  }

  // Neither inlined nor compiled for each value type, because few broadcasts keep several values.
  @usableFromInline
  final func enqueueMissed(from broadcast: Broadcast<Output, Failure>) {
    guard let kept = broadcast.kept else { return }
    broadcast.withElements { _, elements, _ in
      subscription.withDelivery { state, key in
        guard state.phase != .over, state.isStale else { return }
        let first = elements.version.advanced(by: 1 &- kept.values.count)
        var version = Swift.max(newest(&state).next, first)
        while version <= elements.version, state.demand > backlog?.versions.count ?? 0 {
          let context = broadcast.contexts?.context(ofKept: elements.version.number &- version.number)
          enqueue(version, &state, key, in: context, { Backlog() }) {
            unsafeDowncast($0, to: Backlog.self).values.append(kept.values[version.number &- first.number])
          }
          version = version.next
        }
        state.isStale = version <= elements.version
      }
    }
  }
}

/// Counts the values that a subject sends to one of its subscribers, whose closure it calls.
private final class BranchCounter<Output, Failure: Error>: ValueCounter {
  private let receiveValue: Branch<Output, Failure>.Receive

  init(_ receiveValue: @escaping Branch<Output, Failure>.Receive) { self.receiveValue = receiveValue }

  func receive(_ branch: Branch<Output, Failure>, _ value: Output, _ version: Version) -> Subscribers.Demand {
    // A value that has to wait comes here again when it is delivered.
    if version == .atOnce || branch.subscription.isOpen { note() }
    return receiveValue(branch, value, version)
  }
}

/// A branch that joins a subscription and a subscriber.
@usableFromInline @_fixed_layout
final class SubscriberBranch<Downstream: Subscriber>: Branch<Downstream.Input, Downstream.Failure> {
  @usableFromInline let downstream: Downstream

  @inlinable
  init(
    _ downstream: Downstream, _ subscription: BroadcastSubscription,
    _ broadcast: Broadcast<Downstream.Input, Downstream.Failure>,
    of owner: AnyObject
  ) {
    self.downstream = downstream
    super.init(
      subscription, broadcast, of: owner,
      receive: { branch, value, version in
        let own = unsafeDowncast(branch, to: SubscriberBranch.self)
        let subscription = own.subscription
        let isOpen = subscription.isOpen
        if isOpen ? version > subscription.delivered : version == .atOnce { return own.downstream.receive(value) }
        if !isOpen { own.receiveGuarded(value, version: version) }
        return .none
      },
      act: { branch, action in
        let own = unsafeDowncast(branch, to: SubscriberBranch.self)
        switch action {
        case .receiveSubscription: own.downstream.receive(subscription: own.subscription)
        case .receiveCompletion:
          if let completion = own.broadcast.completion { own.downstream.receive(completion: completion) }
        case .deliverNext, .replay, .enqueueMissed, .count: return own.actOnValues(action)
        }
        return .none
      })
  }
}

extension Branch {
  /// The closure that receives values.
  @usableFromInline @frozen
  struct Receiver: ~Copyable {
    @usableFromInline let closure: Receive

    @inlinable
    init(closure: @escaping Receive) { self.closure = closure }

    @inlinable @inline(__always)
    func callAsFunction(_ branch: Branch, _ value: Output, _ version: Version) -> Subscribers.Demand {
      closure(branch, value, version)
    }
  }

  /// The values that wait for a subscriber.
  @usableFromInline @_fixed_layout
  final class Backlog: AnyBacklog {
    // Exclusive: accessed only under the subscription's lock, which is never held while unknown code runs.
    @usableFromInline @exclusivity(unchecked) var values = Ring<Output>()

    @inlinable
    override init() {}
  }
}
