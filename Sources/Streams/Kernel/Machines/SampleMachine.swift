/// Delivers the newest element of one source when another sends an element, unless that newest element was delivered
/// before.
@usableFromInline
final class SampleMachine: CombiningMachine {
  /// The slot of the source whose newest element is kept.
  @usableFromInline static var main: Slot { 0 }

  /// The slot of the source whose elements trigger the deliveries.
  @usableFromInline static var sampler: Slot { 1 }

  // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
  @exclusivity(unchecked) private var hasNews = false

  init() { super.init(count: 2) }

  /// Closed once the main source has ended, because the next output is then the last.
  override var directPath: DirectPath { sources.live == sources.all ? .everySlot : .none }

  override func firstRequest(from slot: Slot) -> Subscribers.Demand { .unlimited }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) { demand += more }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard sources.live.contains(slot) else { return .refused }
    let reception = combined(from: slot)
    if reception == .completes, !sources.live.contains(Self.main) { finishCancellingSources(&effects) }
    return reception
  }

  override func combined(from slot: Slot) -> Reception {
    if slot == Self.main {
      hasNews = true
      return .setAside
    }
    guard hasNews, room != .none else { return .refused }
    hasNews = false
    return .completes
  }

  /// The last element is delivered when it is sampled, and nothing can follow the last sample.
  override func canContinue(without slot: Slot) -> Bool { slot == Self.main && hasNews }

  override func inspect(_ tell: StreamFact.Tell) {
    super.inspect(tell)
    if hasNews { tell(.kept, Self.main.number, nil) }
  }
}
