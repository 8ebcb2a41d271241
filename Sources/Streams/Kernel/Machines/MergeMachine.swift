/// Decides whose element goes next when any number of sources share one downstream.
///
/// While demand is limited, each source is asked for one element at a time and holds at most one undelivered one; the
/// elements go in the order in which they came, which is round robin over the sources that have one. Nothing is asked
/// of a source before downstream has asked for something.
@usableFromInline
class MergeMachine: Machine {
  /// Whose elements wait.
  private struct Senders: ~Copyable {
    /// The slot of each element, in the order in which they are delivered.
    var waiting = Ring<Int>()
    /// The slot of the one that is being delivered.
    var last: Int?
  }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private final var hasStarted = false
  @exclusivity(unchecked) final var sources: SlotTable
  /// In memory of its own, as in most streams no element ever waits.
  @exclusivity(unchecked) private final var senders: UnsafeMutablePointer<Senders>?

  /// Makes a machine with sources in the slots from 0 on.
  init(count: Int) { sources = SlotTable(open: count) }

  deinit { senders?.deinitialize(count: 1).deallocate() }

  private final func makeSenders() -> UnsafeMutablePointer<Senders> {
    let made = UnsafeMutablePointer<Senders>.allocate(capacity: 1)
    made.initialize(to: Senders())
    senders = made
    return made
  }

  override final var directPath: DirectPath { .everySlot }

  /// How much a source is asked for when it is attached.
  private final var allowance: Subscribers.Demand {
    demand == .unlimited ? .unlimited : hasStarted ? .max(1) : .none
  }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard sources.connect(subscription, to: slot) else { return nil }
    return allowance
  }

  override func received(from slot: Int) -> Reception {
    guard sources.isOpen(slot) else { return .refused }
    (senders ?? makeSenders()).pointee.waiting.append(slot)
    sources.keepElement(of: slot)
    return .stored
  }

  override final func delivered() {
    guard let slot = senders?.pointee.last.take() else { return }
    if demand != .unlimited { steps.request(.max(1), from: sources.subscription(of: slot)) }
    sources.dropElement(of: slot)
    refill()
  }

  /// Places may have become free: asks for so many further sources.
  func refill() {}

  override final func next() -> Delivery? {
    let delivery = super.next()
    if delivery == .element, let senders { senders.pointee.last = senders.pointee.waiting.popFirst() }
    return delivery
  }

  override final func requested(_ more: Subscribers.Demand) {
    let wasUnlimited = demand == .unlimited
    let wasStarted = hasStarted
    demand += more
    hasStarted = true
    if wasUnlimited || (wasStarted && demand != .unlimited) { return }
    sources.forEach { steps.request(allowance, from: $0) }
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    guard sources.close(slot, &steps.released) else { return .continues }
    if failed { return fail() }
    if sources.liveCount == 0 { finish() }
    return .continues
  }

  override func dismantle() { sources.removeAll { steps.cancel($0) } }
}

/// A merge whose sources come from another source, the outer one.
///
/// An inner source takes its place until its elements have been delivered, also when it has ended: so what waits is bounded,
/// too. The outer source is asked for another one when a place becomes free.
@usableFromInline
final class FlatMapMachine: MergeMachine {
  /// The slot of the outer source.
  @usableFromInline static var outer: Int { -1 }

  /// The slot of an inner source that is none, because its only element is known.
  @usableFromInline static var anyInner: Int { -2 }

  private let maxPublishers: Subscribers.Demand
  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var outer: SubscriptionObject?
  @exclusivity(unchecked) private var isOuterLive = true

  init(maxPublishers: Subscribers.Demand) {
    self.maxPublishers = maxPublishers
    super.init(count: 0)
  }

  /// Makes room for an inner source, unless the stream is over.
  override func open() -> Int? { sources.open() }

  override func connected(_ subscription: SubscriptionObject, from slot: Int) -> Subscribers.Demand? {
    guard slot == Self.outer else { return super.connected(subscription, from: slot) }
    guard isOuterLive, outer == nil else { return nil }
    outer = subscription
    return maxPublishers
  }

  override func ended(_ slot: Int, failed: Bool) -> Ending {
    if slot == Self.outer {
      guard isOuterLive else { return .continues }
      isOuterLive = false
      steps.release(outer.take())
    } else {
      guard sources.close(slot, &steps.released) else { return .continues }
    }
    if failed { return fail() }
    if sources.liveCount == 0, !isOuterLive {
      finish()
    } else {
      refill()
    }
    return .continues
  }

  override func refill() {
    if maxPublishers != .unlimited { steps.request(.max(sources.takeFreed()), from: outer) }
  }

  override func dismantle() {
    steps.cancel(outer.take())
    super.dismantle()
  }
}
