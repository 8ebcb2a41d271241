internal import Synchronization

/// A ``BroadcastCore`` for values of one type: the part that's compiled for each type.
///
/// If nothing is in its way, a value passes from here to the subscribers through one closure for each of them. It becomes bytes
/// only if it may have to wait or is kept.
@usableFromInline @frozen
package struct Broadcast<Output, Failure: Error> {
  @usableFromInline package let core: BroadcastCore

  @inlinable @inline(__always)
  package init(_ core: BroadcastCore) { self.core = core }

  /// Creates a broadcast that doesn't keep values.
  @inlinable
  package init() { self.init(.nothing, 0) }

  /// Creates a broadcast that replays its newest value.
  @inlinable
  package init(current: Output, isPublished: Bool = false) {
    self.init(isPublished ? .newestOfProperty : .newest, 1)
    ElementLayout.lend(current) { core.keepFirst($0) }
  }

  /// Creates a broadcast that replays its newest values, up to the given number, even after the end.
  @inlinable
  package init(keeping count: Int) { self.init(.several, count) }

  @inlinable @inline(never)
  package init(_ replay: Replay, _ limit: Int) {
    core = BroadcastCore(ElementLayout(Output.self), replay, limit) { core, element, copy in
      if let copy { return ElementLayout.copy(Output.self, from: element, to: copy) }
      Broadcast(core).sendToAll(ElementLayout.take(Output.self, from: element))
    }
  }

  // MARK: Sending

  /// Sends a value, and keeps it if the broadcast replays values. After the completion, the broadcast keeps the value only if
  /// `keepsAfterEnd` is true.
  @inlinable @inline(never)
  package func send(_ value: Output, keepsAfterEnd: Bool = false) {
    if core.replay != .nothing { return sendAndKeep(value, keepsAfterEnd: keepsAfterEnd) }
    let found = core.lock()
    guard found == .free, core.phase == .running else {
      core.unlock(found)
      return ElementLayout.lend(value) { core.enqueue($0) }
    }
    // Nothing is in the way.
    core.unlock(.turn)
    sendToAll(value)
    if !core.endTurn() { core.deliver() }
  }

  @inlinable @inline(never)
  package func sendAndKeep(_ value: Output, keepsAfterEnd: Bool) {
    ElementLayout.lend(value) { kept in
      var isTaken = false
      if core.takeTurn(keeping: kept, &isTaken) {
        sendToAll(value)
        if !core.endTurn() { core.deliver() }
      } else {
        ElementLayout.lend(value) { core.enqueue($0, keeping: kept, afterEnd: keepsAfterEnd, &isTaken) }
      }
      return isTaken
    }
  }

  @inlinable @inline(__always)
  package func sendToAll(_ value: Output) {
    guard let receiver = core.receiver else { stopAtLateDelivery() }
    receiver._withUnsafeGuaranteedRef {
      let list = unsafeDowncast($0, to: BranchList.self)
      guard var member = list.members else { return core.noteLostValue() }
      let limit = member + list.count
      while member != limit {
        member.pointee?._withUnsafeGuaranteedRef { send(value, to: $0) }
        member += 1
      }
    }
  }

  /// Delivers a value directly if the branch has lent its turn. Otherwise, lets the branch decide.
  @inlinable @inline(__always)
  package func send(_ value: Output, to branch: Branch) {
    guard branch.isLent, let receiver = branch.receiver else {
      return ElementLayout.lend(value) { branch.receiveGuarded($0) }
    }
    // A cast of the reference would retain the closure for each call.
    let typed = Unmanaged<ValueReceiver<Output>>.fromOpaque(receiver.toOpaque())
    typed._withUnsafeGuaranteedRef { _ = $0.receiveValue($0, value) }
  }

  /// Sends a new value of a property, which keeps its previous value during the delivery.
  @inlinable @inline(never)
  package func sendBeforeChange(_ value: Output) {
    ElementLayout.lend(value) { kept in
      var isTaken = false
      ElementLayout.lend(value) { core.sendBeforeChange($0, keeping: kept, &isTaken) }
      return isTaken
    }
  }

  @inlinable
  package func send(completion: Subscribers.Completion<Failure>) {
    if case .failure(let error) = completion { core.end(error) } else { core.end(nil) }
  }

  // MARK: Subscribing

  /// Attaches a subscriber, whose subscription retains the broadcast's owner or, without one, the broadcast itself.
  @inlinable @inline(__always)
  package func subscribe<S: Subscriber>(_ subscriber: consuming S, of owner: AnyObject? = nil)
  where S.Input == Output, S.Failure == Failure { core.attach(BranchReceiver(subscriber), of: owner) }

  @inlinable
  package func addUpstream(_ subscription: any Subscription) { core.addUpstream(subscription) }

  // MARK: What is kept

  /// The newest value, in a broadcast that replays it.
  @inlinable
  package var newestValue: Output {
    ElementLayout.made { core.copyNewest(ofProperty: false, to: $0) }
  }

  /// The value of a property: the newest one or, while a value that was set outside a delivery is being sent, the previous one.
  @inlinable
  package var valueOfProperty: Output {
    ElementLayout.made { core.copyNewest(ofProperty: true, to: $0) }
  }
}

/// A receiver that takes values directly, or as elements if the values have waited.
@usableFromInline @_fixed_layout
package class ValueReceiver<Input>: Receiver {
  @usableFromInline package typealias ReceiveValue = (ValueReceiver, Input) -> Subscribers.Demand
  @usableFromInline package final let receiveValue: ReceiveValue

  @inlinable @inline(never) @_optimize(size)
  package init(receiveValue: @escaping ReceiveValue, receiveEvent: @escaping ReceiveEvent) {
    self.receiveValue = receiveValue
    super.init(
      receiveElement: {
        let receiver = unsafeDowncast($0, to: ValueReceiver.self)
        return receiver.receiveValue(receiver, ElementLayout.take(Input.self, from: $1))
      }, receiveEvent: receiveEvent)
  }

  override func counted() -> Receiver { CountingValueReceiver(self) }
}

@usableFromInline @_fixed_layout
package final class BranchReceiver<Downstream: Subscriber>: ValueReceiver<Downstream.Input> {
  @usableFromInline package let subscriber: Downstream

  @inlinable @inline(__always)
  package init(_ subscriber: Downstream) {
    self.subscriber = subscriber
    super.init(
      receiveValue: { unsafeDowncast($0, to: BranchReceiver.self).subscriber.receive($1) },
      receiveEvent: { $1.send(to: unsafeDowncast($0, to: BranchReceiver.self).subscriber) })
  }

  override var inspected: Any { subscriber }

  override var link: CountedUpstreamLink? { subscriber._upstreamLink?.link }
}

extension BranchReceiver: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .sends(name: nil, to: Downstream.self) }
}

/// A receiver that counts the values, created while streams are observed.
final class CountingValueReceiver<Input>: ValueReceiver<Input> {
  private let counter = Atomic(0)
  private let receiver: ValueReceiver<Input>

  init(_ receiver: ValueReceiver<Input>) {
    self.receiver = receiver
    super.init(
      receiveValue: {
        let own = unsafeDowncast($0, to: CountingValueReceiver.self)
        // Values arrive one at a time, but another thread may read the counter.
        own.counter.store(own.counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        return own.receiver.receiveValue(own.receiver, $1)
      },
      receiveEvent: {
        let receiver = unsafeDowncast($0, to: CountingValueReceiver.self).receiver
        receiver.receiveEvent(receiver, $1)
      })
  }

  override var sentCount: Int? { counter.load(ordering: .relaxed) }
  override var inspected: Any { receiver.inspected }
  override var origin: AnyObject { receiver }
  override var link: CountedUpstreamLink? { receiver.link }
}
