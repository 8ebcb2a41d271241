/// Requests a number of elements from its source, whatever downstream requests, and another for each that has been
/// delivered: so no more than that number wait, for demand or for the delivery of others.
@usableFromInline
final class WindowMachine: SingleSourceMachine {
  private let size: Int

  init(size: Int) {
    self.size = size
    super.init()
  }

  override var isBounded: Bool { true }

  override func firstRequest() -> Subscribers.Demand { .max(size) }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception { .stored }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) { demand += more }

  override func delivered(_ effects: inout Effects) { effects.request(.max(1), from: upstream) }
}
