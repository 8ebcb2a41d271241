/// Merges sources that are made from the elements of another source, the outer one.
///
/// While demand is limited, one element at a time is requested from each source, which holds at most one undelivered
/// element. Elements are delivered in the order in which they arrived, which is round robin over the sources that have
/// one. An inner source occupies its place until its elements have been delivered, even after it has ended, so the number of
/// waiting elements is bounded, too. Another source is requested from the outer one when a place becomes free.
///
/// A machine with a bound does not take that from demand: with `wait` it requests one element at a time from each source
/// even if demand is unlimited, otherwise unlimited demand at once, and decides about each element for which there is no
/// room.
@usableFromInline
class FlatMapMachine: OldMachine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Slot { -1 }

  /// A slot number for an element of an inner source that is not attached, because its only element is known.
  @usableFromInline static var anyInner: Slot { -2 }

  /// The origins of the elements that wait.
  private struct Senders: ~Copyable {
    /// The slot of each element, in the order of delivery.
    var waiting = Ring<Slot>()
    /// The slot of the element that is being delivered.
    var last: Slot?
  }

  private final let maxPublishers: Subscribers.Demand
  /// What happens to elements for which there is no room; `nil` if any number may wait.
  private final let overflow: Overflow?
  /// The number of elements that may wait. A small number, which takes no room of its own.
  private final let size: UInt32
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var sources = SlotTable()
  @exclusivity(unchecked) private final var outer = SingleSource()
  /// Allocated separately, because in most streams no element ever waits.
  @exclusivity(unchecked) private final var senders: UnsafeMutablePointer<Senders>?

  init(maxPublishers: Subscribers.Demand, bound: (size: Int, overflow: Overflow)? = nil) {
    var maxPublishers = maxPublishers
    // Each holds one element.
    if let bound, bound.overflow == .wait { maxPublishers = min(maxPublishers, .max(bound.size)) }
    self.maxPublishers = maxPublishers
    overflow = bound?.overflow
    size = UInt32(clamping: bound?.size ?? 0)
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
    case nil, .wait: .max(1)
    case .dropNewest, .dropOldest, .fail, .cancel: .unlimited
    }
  }

  /// Opens a slot for an inner source, unless the stream is over.
  override func open(_ effects: inout Effects) -> Slot? { sources.open() }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    if slot == Self.outer { return outer.connect(subscription) ? maxPublishers : nil }
    return sources.connect(subscription, to: slot) ? allowance : nil
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
  private final func refill(_ effects: inout Effects) {
    if maxPublishers != .unlimited { effects.request(.max(sources.takeFreed()), from: outer.subscription) }
  }

  override final func next(_ effects: inout Effects) -> Delivery? {
    let delivery = super.next(&effects)
    if delivery == .element, let senders { senders.pointee.last = senders.pointee.waiting.popFirst() }
    return delivery
  }

  override final func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    let before = allowance
    demand += more
    let allowance = allowance
    if allowance != before { sources.forEach { effects.request(allowance, from: $0) } }
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

  override func dismantle(_ effects: inout Effects) {
    outer.cancel(&effects)
    sources.removeAll { effects.cancel($0) }
  }

  override func limitingOperator(of slot: Slot) -> String? {
    if slot == Self.outer { return maxPublishers == .unlimited ? nil : "flatMap(maxPublishers:) or flatMap(maxTasks:)" }
    return overflow == .wait ? "flatMap(bounded:whenFull: .wait)" : nil
  }

  override func inspect(_ tell: StreamFact.Tell) {
    outer.inspect(slot: Self.outer, tell)
    tell(.running, sources.liveCount, nil)
    tell(.limit, Int(bitPattern: maxPublishers.rawValue), nil)
    sources.inspect(tell)
    if overflow != nil { tell(.bound, Int(size), nil) }
  }
}

/// A flat map with one source at a time, whose outer source drops what comes meanwhile on purpose.
final class FlatMapFirstMachine: FlatMapMachine {
  init() { super.init(maxPublishers: .max(1)) }

  override func limitingOperator(of slot: Slot) -> String? { nil }
}
