/// Delivers through a scheduler, in order: one scheduled action at a time delivers all elements that waited when it
/// began.
@usableFromInline
final class ReceiveOnMachine: SingleSourceMachine {
  init() { super.init(.onDrains) }

  override var directPath: DirectPath { .queue }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    scheduleDrain(&effects)
    return .stored
  }

  override func sourceEnded(_ effects: inout Effects) { scheduleDrain(&effects) }
}

/// Delivers through a scheduler, in order and as demand permits; a bounded number of elements waits.
///
/// A drain delivers the elements that wait when it begins and for which there is demand. The machine is asked about each
/// one, so that its room is free as soon as its delivery begins, and any that still waits can be dropped.
@usableFromInline
final class BoundedReceiveOnMachine: SingleSourceMachine {
  private let size: Int
  private let overflow: Overflow
  /// The number of elements that have been delivered, and for which no others have been requested.
  private var vacated = 0

  init(size: Int, overflow: Overflow) {
    self.size = size
    self.overflow = overflow
    super.init(.onDrainsByDemand)
  }

  override var isBounded: Bool { true }

  override var promised: Int { 0 }

  override func firstRequest() -> Subscribers.Demand { overflow == .wait ? .max(size) : .unlimited }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard waiting < size else {
      let reception = receivedTooMany(overflow, size: size, &effects)
      if isFinishing { scheduleDrain(&effects) }
      return reception
    }
    if demand != .none { scheduleDrain(&effects) }
    return .stored
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    if waiting > 0 { scheduleDrain(&effects) }
  }

  override func makeWaitingDue() { paths.due = min(waiting, demand.max ?? waiting) }

  override func next(_ effects: inout Effects) -> Delivery? {
    // The strategy was to cancel: what waits is dropped.
    if phase == .failing { return complete(&effects) }
    guard due > 0, demand.spend() else { return isOver || due > 0 ? nil : super.next(&effects) }
    paths.due &-= 1
    paths.waiting &-= 1
    return .element
  }

  override func delivered(_ effects: inout Effects) {
    guard overflow == .wait else { return }
    vacated &+= 1
    // In batches, because a request costs more than a delivery.
    guard vacated >= size - vacated || waiting == 0 else { return }
    effects.request(.max(vacated), from: upstream)
    vacated = 0
  }

  override func sourceEnded(_ effects: inout Effects) { scheduleDrain(&effects) }

  override func limitingOperator(of slot: Slot) -> String? {
    overflow == .wait ? "receive(on:bounded:whenFull: .wait)" : nil
  }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    tell(.bound, size, nil)
  }
}
