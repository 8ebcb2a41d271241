public import Streams

/// Distributes values to publishers, one for each key, and sends each publisher downstream when it opens. A boundary finishes
/// all open publishers.
@usableFromInline @_fixed_layout
final class GroupingSubscriber<Key: Hashable, Element, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline typealias Group = OperatorSubject<Element, Failure>

  @usableFromInline let downstream: Downstream
  /// The link to upstream. If streams are observed, it counts all values, and the ones dropped because their group's
  /// subscribers have left.
  @usableFromInline let link = makeCountedUpstreamLink()
  @usableFromInline let groupName: OperatorName
  @usableFromInline let maxGroups: Int
  @usableFromInline let bufferSize: Int
  @usableFromInline let key: (Element) -> Key
  /// Creates the value that downstream receives for a group.
  @usableFromInline let present: (Key, Group) -> Downstream.Input

  // These are accessed only on the value path. Their exclusivity is checked, because comparing keys runs user code.
  @usableFromInline var groups: [Key: Group] = [:]
  /// The groups' keys, in the order in which the groups were opened.
  @usableFromInline var keys = Ring<Key>()

  @inlinable
  init(
    _ downstream: Downstream, _ groupName: OperatorName, maxGroups: Int, bufferSize: Int,
    key: @escaping (Element) -> Key,
    present: @escaping (Key, Group) -> Downstream.Input
  ) {
    self.downstream = downstream
    self.groupName = groupName
    self.maxGroups = maxGroups
    self.bufferSize = bufferSize
    self.key = key
    self.present = present
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if link.connect(subscription) { downstream.receive(subscription: link) }
  }

  @inlinable
  func receive(_ input: BoundarySignal<Element>) -> Subscribers.Demand {
    guard link.isForwarding else { return .none }
    switch input {
    case .value(let element): return deal(element)
    case .boundary:
      close(with: .finished)
      return .none
    }
  }

  @inlinable
  func deal(_ element: Element) -> Subscribers.Demand {
    let key = key(element)
    if link.isObserved { note(key) }
    if let group = groups[key] {
      group.send(element)
      return .none
    }
    if groups.count == maxGroups, let oldest = keys.popFirst() {
      groups.removeValue(forKey: oldest)?.send(completion: .finished)
    }
    let group = Group(groupName, bufferSize: bufferSize)
    groups[key] = group
    keys.append(key)
    let more = downstream.receive(present(key, group))
    group.send(element)
    return more
  }

  /// Counts a value, and counts it as dropped if its group's subscribers have left.
  @usableFromInline
  func note(_ key: Key) {
    _ = link.noteArrival()
    if groups[key]?.broadcast.core.isAbandoned == true { link.noteDrop() }
  }

  @inlinable
  func close(with completion: Subscribers.Completion<Failure>) {
    while let key = keys.popFirst() { groups.removeValue(forKey: key)?.send(completion: completion) }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    // The link finishes before the groups do, because a group's end may cause downstream to cancel although upstream has
    // already ended. Downstream is a buffer, which doesn't let anything through after it's cancelled.
    guard link.finish() else { return }
    close(with: completion)
    downstream.receive(completion: completion)
  }
}

extension GroupingSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .links("", to: Downstream.self) }
}

extension Publisher {
  /// Attaches a subscriber and keeps the newest values for it until it requests them.
  ///
  /// Unlike with `buffer`, the subscriber receives its subscription before a source can send values. So later values don't
  /// displace a value that the subscriber has requested immediately.
  @inlinable
  func subscribe<S: Subscriber>(
    _ subscriber: S, keepingNewest count: Int, _ use: BufferEngine.Use
  ) where S.Input == Output, S.Failure == Failure {
    let receiver = SubscriberReceiver(subscriber)
    let engine = BufferEngine(
      receiver, ElementLayout(Output.self), Bound(count, Overflow.dropOldest, in: "buffer"), keepsFull: false, use)
    engine.begin(receiver)
    engine.attach(self)
  }
}
