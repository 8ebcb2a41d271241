/// Decides which source's element is delivered next when any number of sources share one downstream.
///
/// While demand is limited, one element at a time is requested from each source, which holds at most one undelivered
/// element. Elements are delivered in the order in which they arrived, which is round robin over the sources that have
/// one. Nothing is requested from a source before downstream has requested something, unless the machine asks at once.
///
/// A machine with a bound does not take that from demand: with `wait` it requests one element at a time from each source
/// even if demand is unlimited, otherwise unlimited demand at once, and decides about each element for which there is no
/// room.
@usableFromInline
class MergeMachine: Machine {
  /// The origins of the elements that wait.
  private struct Senders: ~Copyable {
    /// The slot of each element, in the order of delivery.
    var waiting = Ring<Slot>()
    /// The slot of the element that is being delivered.
    var last: Slot?
  }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var hasStarted: Bool
  /// Indicates whether the stream finishes with the source in slot 0, without waiting for demand for elements of
  /// others.
  private final let finishesWithFirst: Bool
  /// What happens to elements for which there is no room; `nil` if any number may wait.
  private final let overflow: Overflow?
  /// The number of elements that may wait. A small number, which takes no room of its own.
  private final let size: UInt32
  @exclusivity(unchecked) final var sources: SlotTable
  /// Allocated separately, because in most streams no element ever waits.
  @exclusivity(unchecked) private final var senders: UnsafeMutablePointer<Senders>?

  /// Creates a machine with sources in the slots from 0. One that `asksAtOnce` requests an element from each source
  /// when it is attached, and keeps it until downstream requests it.
  init(
    count: Int, asksAtOnce: Bool = false, finishesWithFirst: Bool = false,
    bound: (size: Int, overflow: Overflow)? = nil
  ) {
    overflow = bound?.overflow
    size = UInt32(clamping: bound?.size ?? 0)
    sources = SlotTable(open: count)
    hasStarted = asksAtOnce
    self.finishesWithFirst = finishesWithFirst
  }

  deinit { senders?.deinitialize(count: 1).deallocate() }

  private final func makeSenders() -> UnsafeMutablePointer<Senders> {
    let made = UnsafeMutablePointer<Senders>.allocate(capacity: 1)
    made.initialize(to: Senders())
    senders = made
    return made
  }

  override final var directPath: DirectPath { overflow == .wait ? .none : .everySlot }

  override final var isBounded: Bool { overflow != nil }

  override final var promised: Int { overflow == nil ? super.promised : 0 }

  /// The demand that is requested from a source when it is attached.
  private final var allowance: Subscribers.Demand {
    switch overflow {
    case nil where demand == .unlimited: .unlimited
    case nil, .wait: hasStarted ? .max(1) : .none
    case .dropNewest, .dropOldest, .fail, .cancel: .unlimited
    }
  }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return allowance
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard sources.isOpen(slot) else { return .refused }
    if let overflow, waiting >= size { return receivedTooMany(overflow, from: slot, &effects) }
    keep(slot)
    return .stored
  }

  private final func keep(_ slot: Slot) {
    (senders ?? makeSenders()).pointee.waiting.append(slot)
    sources.keepElement(of: slot)
  }

  private final func receivedTooMany(_ overflow: Overflow, from slot: Slot, _ effects: inout Effects) -> Reception {
    let reception = receivedTooMany(overflow, size: Int(size), &effects)
    if reception == .refused { return .refused }
    if reception == .replaces, let oldest = senders?.pointee.waiting.popFirst() { sources.dropElement(of: oldest) }
    keep(slot)
    refill(&effects)
    return reception
  }

  override final func delivered(_ effects: inout Effects) {
    guard let slot = senders?.pointee.last.take() else { return }
    if allowance != .unlimited { effects.request(.max(1), from: sources.subscription(of: slot)) }
    sources.dropElement(of: slot)
    refill(&effects)
  }

  /// Requests as many further sources as places have become free.
  func refill(_ effects: inout Effects) {}

  override final func next(_ effects: inout Effects) -> Delivery? {
    let delivery = super.next(&effects)
    if delivery == .element, let senders { senders.pointee.last = senders.pointee.waiting.popFirst() }
    return delivery
  }

  override final func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    let before = allowance
    demand += more
    hasStarted = true
    let allowance = allowance
    if allowance != before { sources.forEach { effects.request(allowance, from: $0) } }
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard sources.close(slot, &effects.released) else { return .continues }
    if failed { return fail(&effects) }
    if finishesWithFirst, slot == 0 {
      guard holdsElement(of: slot) else { return fail(&effects) }
      finishCancellingSources(&effects)
    } else if sources.liveCount == 0 {
      finish()
    }
    return .continues
  }

  override func dismantle(_ effects: inout Effects) { sources.removeAll { effects.cancel($0) } }

  /// Indicates whether an element of a source waits.
  private final func holdsElement(of slot: Slot) -> Bool {
    senders.map { all in (0..<all.pointee.waiting.count).contains { all.pointee.waiting[$0] == slot } } ?? false
  }

  override func limitingOperator(of slot: Slot) -> String? {
    overflow == .wait ? "merge(with:bounded:whenFull: .wait)" : nil
  }

  override func inspect(_ tell: StreamFact.Tell) {
    sources.inspect(tell)
    if overflow != nil { tell(.bound, Int(size), nil) }
  }
}

/// A merge whose sources are made from the elements of another source, the outer one.
///
/// An inner source occupies its place until its elements have been delivered, even after it has ended, so the number of
/// waiting elements is bounded, too. Another source is requested from the outer one when a place becomes free.
@usableFromInline
class FlatMapMachine: MergeMachine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Slot { -1 }

  /// A slot number for an element of an inner source that is not attached, because its only element is known.
  @usableFromInline static var anyInner: Slot { -2 }

  private final let maxPublishers: Subscribers.Demand
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var outer = SingleSource()

  init(maxPublishers: Subscribers.Demand, bound: (size: Int, overflow: Overflow)? = nil) {
    var maxPublishers = maxPublishers
    // Each holds one element.
    if let bound, bound.overflow == .wait { maxPublishers = min(maxPublishers, .max(bound.size)) }
    self.maxPublishers = maxPublishers
    super.init(count: 0, asksAtOnce: true, bound: bound)
  }

  /// Opens a slot for an inner source, unless the stream is over.
  override func open(_ effects: inout Effects) -> Slot? { sources.open() }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    guard slot == Self.outer else { return super.connected(subscription, from: slot, &effects) }
    return outer.connect(subscription) ? maxPublishers : nil
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    guard slot == Self.outer ? outer.end(&effects) : sources.close(slot, &effects.released) else { return .continues }
    if failed { return fail(&effects) }
    if sources.liveCount == 0, !outer.isLive {
      finish()
    } else {
      refill(&effects)
    }
    return .continues
  }

  override func refill(_ effects: inout Effects) {
    if maxPublishers != .unlimited { effects.request(.max(sources.takeFreed()), from: outer.subscription) }
  }

  override func dismantle(_ effects: inout Effects) {
    outer.cancel(&effects)
    super.dismantle(&effects)
  }

  override func limitingOperator(of slot: Slot) -> String? {
    if slot == Self.outer { return maxPublishers == .unlimited ? nil : "flatMap(maxPublishers:) or flatMap(maxTasks:)" }
    return super.limitingOperator(of: slot) == nil ? nil : "flatMap(bounded:whenFull: .wait)"
  }

  override func inspect(_ tell: StreamFact.Tell) {
    outer.inspect(slot: Self.outer, tell)
    tell(.running, sources.liveCount, nil)
    tell(.limit, Int(bitPattern: maxPublishers.rawValue), nil)
    super.inspect(tell)
  }
}

/// A flat map with one source at a time, whose outer source drops what comes meanwhile on purpose.
final class FlatMapFirstMachine: FlatMapMachine {
  init() { super.init(maxPublishers: .max(1)) }

  override func limitingOperator(of slot: Slot) -> String? { nil }
}
