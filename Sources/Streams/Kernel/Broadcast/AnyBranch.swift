/// A subscriber of a broadcast, with its element types erased.
///
/// This class decides what happens to the values that wait for the subscriber; ``Branch`` dequeues and delivers them.
///
/// | the subscriber | `isStale` | backlog | role | a value that is sent |
/// | --- | --- | --- | --- | --- |
/// | has everything, and unlimited demand | no | none | any | is delivered at once: the subscription is open |
/// | has everything | no | empty | free | is delivered at once, or makes it stale if there is no demand |
/// | has missed values | yes | empty | free | makes no difference, or replaces the newest value that it has missed |
/// | is receiving | either | any | held | waits in the backlog, behind what it has missed |
///
/// A request, or the end of the subscription's arrival, lets a stale subscriber catch up (``catchUp(isSender:)``): it
/// takes the role, moves what it has missed to its backlog (``enqueueMissed()``) if the broadcast keeps several values,
/// and delivers the backlog, then the current value if the broadcast keeps that, then the completion, until
/// ``nextAction`` finds nothing.
///
/// The closure ``act`` captures nothing: it is created where the subscriber's type is known and receives the branch as
/// its argument. It therefore runs specialized code, needs no lookup in a vtable, and forms no reference cycle.
@usableFromInline @_fixed_layout
class AnyBranch {
  @usableFromInline typealias Act = (AnyBranch, Action) -> Subscribers.Demand

  @usableFromInline final let subscription: BroadcastSubscription
  @usableFromInline final let act: Act
  // Exclusive: set only before the branch is on the list.
  /// The counter of the values, if they are counted.
  @exclusivity(unchecked) final var counter: ValueCounter?
  /// The object that retains the subscriber list: the subject, which its subscriptions retain, because a callback that
  /// captures the subject weakly is a common idiom; or the subscriber list itself.
  @usableFromInline final let owner: AnyObject
  /// The subscriber list, which the owner retains.
  @usableFromInline final let unretainedList: Unmanaged<SubscriberList>

  // Exclusive: accessed only under the subscription's lock, which is never held while unknown code runs.
  /// The values that arrived while the subscriber was catching up. Protected by the subscription's lock.
  @usableFromInline @exclusivity(unchecked) final var backlog: AnyBacklog?

  @inlinable
  init(_ subscription: BroadcastSubscription, _ subscribers: SubscriberList, of owner: AnyObject, act: @escaping Act) {
    self.subscription = subscription
    self.owner = owner
    unretainedList = .passUnretained(subscribers)
    self.act = act
  }

  @inlinable
  final var subscribers: SubscriberList { unretainedList.takeUnretainedValue() }

  private final var keepsSeveral: Bool { unretainedList._withUnsafeGuaranteedRef { $0.replay == .several } }

  /// Removes this branch from the subscriber list.
  final func leave() { unretainedList._withUnsafeGuaranteedRef { $0.remove(self) } }

  /// Records in the subscriber list that there is demand.
  final func recordDemand() { unretainedList._withUnsafeGuaranteedRef { $0.recordDemand() } }

  /// The version of the newest value that is waiting or has been delivered.
  final func newest(_ state: inout BroadcastSubscription.Delivery) -> Version {
    guard let backlog, !backlog.versions.isEmpty else { return subscription.delivered }
    return backlog.versions[backlog.versions.count &- 1]
  }

  /// If the broadcast keeps several values, enqueues those that the subscriber has missed and has demand for, so that
  /// the broadcast can no longer discard them.
  final func enqueueMissed() {
    if keepsSeveral { _ = act(self, .enqueueMissed) }
  }

  /// Delivers the completion, or leaves it to the thread that is currently delivering.
  @usableFromInline
  final func complete() {
    let delivers = subscription.withDelivery { state, key in
      if state.phase == .over { return false }
      state.phase = .completing
      return subscription.role.claimOrDisturb(key) || backlog?.handover.takeOver() == true
    }
    if delivers { catchUp(isSender: false) }
  }

  /// Delivers the waiting values. The caller has claimed the delivering role.
  ///
  /// Values come from the sender of the broadcast. If the caller is the sender, it delivers for one turn and then
  /// defers the rest to the sending loop, which it or its successor continues. Any other caller delivers the values
  /// that were waiting when it entered, and leaves the rest to the sender or to the next thread that sends.
  @usableFromInline
  final func catchUp(isSender: Bool) {
    enqueueMissed()
    deliverRest(
      subscription.withDelivery { _, _ in
        isSender ? Burst() : Burst(backlog?.versions.count ?? 0)
      })
  }

  private final func deliverRest(_ turn: consuming Burst) {
    DrainRole.drain(turn) { change in
      subscription.withDelivery { _, _ in backlog.map { change(&$0.handover) } ?? false }
    } _: { turn in
      var isUp = false
      var context: ContextSnapshot?
      guard let action = subscription.withDelivery({ nextAction(&$0, $1, &turn, &isUp, &context) }) else {
        return false
      }
      if isUp {
        if subscribers.leaveToSender(self) { return false }
        subscription.withDelivery { _, _ in if let backlog { _ = turn.offers(&backlog.handover) } }
        return true
      }
      if action == .receiveCompletion { _ = subscription.close() }
      var more = Subscribers.Demand.none
      if let context { context.run { more = act(self, action) } } else { more = act(self, action) }
      if action == .receiveCompletion { return false }
      if more != .none { subscription.addDemand(more) }
      return true
    }
  }

  /// Accepts a value if there is demand for it.
  ///
  /// Returns true if no delivery is in progress: the caller must then deliver the value and call ``endDelivering(_:)``.
  /// Otherwise returns false; an accepted value has then been appended to the backlog with `store`.
  @usableFromInline
  final func accept(_ version: Version, _ makeBacklog: () -> AnyBacklog, _ store: (AnyBacklog) -> Void) -> Bool {
    accept(version, in: nil, makeBacklog, store)
  }

  private final func accept(
    _ version: Version, in context: ContextSnapshot?, _ makeBacklog: () -> AnyBacklog, _ store: (AnyBacklog) -> Void
  ) -> Bool {
    var catchesUp = false
    var lacksContext = false
    var mistake: BroadcastSubscription.Mistake?
    let isDelivered = subscription.withDelivery { state, key in
      guard state.phase != .over, version > subscription.delivered else { return false }
      // If the broadcast keeps several values, missed values come first; this one stays behind them, or is in the
      // backlog already.
      if keepsSeveral, state.isStale || version <= newest(&state) { return false }
      guard state.demand > backlog?.versions.count ?? 0 else {
        state.isStale = version != .unordered
        if version == .unordered { mistake = state.mistake }
        return false
      }
      let isFree = !subscription.role.isHeld(key)
      if !isFree, context == nil, ContextCarrier.isAny {
        // Captured outside the lock, because that may run code of a user.
        lacksContext = true
        return false
      }
      // This value supersedes the missed one. A later replay would deliver the current value ahead of values that are
      // queued meanwhile.
      state.isStale = false
      if isFree {
        subscription.role.claim(key)
        take(version, &state)
        return true
      }
      catchesUp = enqueue(version, &state, key, in: context, makeBacklog, store).handover.takeOver()
      return false
    }
    if lacksContext { return accept(version, in: .captured(), makeBacklog, store) }
    if catchesUp { catchUp(isSender: true) }
    if let mistake { subscription.valueDropped(for: self, mistake) }
    return isDelivered
  }

  /// Ends the delivery of an accepted value. The sender then delivers the values that have arrived meanwhile.
  @usableFromInline
  final func endDelivering(_ more: Subscribers.Demand) {
    if more != .none { subscription.addDemand(more) }
    deliverRest(Burst())
  }

  /// Appends a value to the backlog.
  @discardableResult
  final func enqueue(
    _ version: Version, _ state: inout BroadcastSubscription.Delivery, _ key: borrowing LockKey,
    in context: ContextSnapshot?, _ makeBacklog: () -> AnyBacklog, _ store: (AnyBacklog) -> Void
  ) -> AnyBacklog {
    let backlog = backlog ?? makeBacklog()
    self.backlog = backlog
    backlog.keep(context)
    backlog.versions.append(version)
    store(backlog)
    subscription.role.disturb(key)
    return backlog
  }

  /// Dequeues the oldest waiting value with `take`, unless the subscription is over. Returns whether the value is to be
  /// delivered, that is, whether no newer value has been delivered.
  @usableFromInline
  final func dequeue(_ take: (AnyBacklog) -> Void) -> Bool {
    subscription.withDelivery { state, _ in
      guard let backlog, state.phase != .over else { return false }
      let version = backlog.versions.removeExistingFirst()
      backlog.dropContext()
      take(backlog)
      guard version > subscription.delivered else { return false }
      self.take(version, &state)
      return true
    }
  }

  /// Records a value as delivered, and spends demand for it.
  private final func take(_ version: Version, _ state: inout BroadcastSubscription.Delivery) {
    if version != .unordered { subscription.delivered = version }
    _ = state.demand.spend()
  }

  /// Indicates whether the current value is newer than the last one delivered. If it is not, its demand is given back.
  @usableFromInline
  final func isNewer(_ version: Version) -> Bool {
    subscription.withDelivery { state, _ in
      if version > subscription.delivered {
        subscription.delivered = version
        return true
      }
      state.demand += 1
      return false
    }
  }

  /// Returns what a subscriber that is catching up does next, or `nil` if its delivery has ended. `isUp` indicates
  /// whether the caller's turn is up instead; `context` is that of the value to deliver.
  private final func nextAction(
    _ state: inout BroadcastSubscription.Delivery, _ key: borrowing LockKey, _ turn: inout Burst,
    _ isUp: inout Bool, _ context: inout ContextSnapshot?
  ) -> Action? {
    if state.phase == .over {
      subscription.role.end(key)
      return nil
    }
    if let backlog, !backlog.versions.isEmpty {
      isUp = turn.isOver(&backlog.handover)
      if isUp { turn.extend() } else { context = backlog.nextContext }
      return .deliverNext
    }
    let isKept = keepsSeveral && state.isStale
    if state.phase == .completing, !isKept { return .receiveCompletion }
    if isKept, state.demand != .none { return .enqueueMissed }
    if !isKept, state.isStale, state.demand.spend() {
      state.isStale = false
      return .replay
    }
    subscription.role.end(key)
    backlog?.handover.end()
    subscription.open(state)
    // Nothing waits here from now on, and replayed values may have taken up much memory.
    if subscription.isOpen { backlog = nil }
    return nil
  }
}

extension AnyBranch {
  /// The actions of a branch, apart from receiving values.
  @usableFromInline
  enum Action {
    /// Hands the subscriber its subscription.
    case receiveSubscription
    /// Hands the subscriber the completion of the broadcast.
    case receiveCompletion
    /// Delivers the oldest waiting value.
    case deliverNext
    /// Delivers the current value, unless the subscriber has received it.
    case replay
    /// Begins to count values, because streams are observed.
    case count
    /// Enqueues the kept values for which there is demand, before the broadcast sends more.
    case enqueueMissed
  }

  /// Values that wait for a subscriber, with their type erased. A separate object, because few subscribers ever need
  /// one.
  @usableFromInline @_fixed_layout
  class AnyBacklog {
    // Exclusive: accessed only under the subscription's lock, which is never held while unknown code runs.
    /// The version of each waiting value.
    @usableFromInline @exclusivity(unchecked) final var versions = Ring<Version>()

    /// The state of handing the delivering role to another thread. Protected by the subscription's lock.
    @usableFromInline @exclusivity(unchecked) final var handover = Handover()

    /// The contexts of the waiting values, once one of them has been captured.
    @usableFromInline @exclusivity(unchecked) final var contexts: Contexts?

    @usableFromInline
    final class Contexts {
      // Exclusive: accessed like the backlog.
      @exclusivity(unchecked) var queue = Ring<ContextSnapshot?>()
    }

    @usableFromInline
    init() {}

    /// Records the context of a value that is about to be appended.
    final func keep(_ context: ContextSnapshot?) {
      guard context != nil || contexts != nil else { return }
      let contexts = contexts ?? Contexts()
      self.contexts = contexts
      while contexts.queue.count < versions.count { contexts.queue.append(nil) }
      contexts.queue.append(context)
    }

    /// The context of the oldest value.
    final var nextContext: ContextSnapshot? {
      guard let contexts, !contexts.queue.isEmpty else { return nil }
      return contexts.queue[0]
    }

    /// Removes the context of the oldest value, together with that value: others may arrive after the context was bound,
    /// and their contexts are counted from those of the values. The deliverer retains it, so nothing is released here.
    final func dropContext() { _ = contexts?.queue.popFirst() }
  }
}
