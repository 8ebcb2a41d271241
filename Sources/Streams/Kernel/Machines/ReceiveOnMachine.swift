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
