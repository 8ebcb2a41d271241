/// Runs sources of one element each concurrently, and delivers the elements in the order of the sources.
///
/// Another source, the outer one, supplies the sources; no more are requested from it than downstream has requested and
/// than the line has places. An end has its place in the line, too: elements before it are still delivered.
@usableFromInline
final class OrderedConcurrencyMachine: SingleSourceMachine {
  /// The slot of the outer source; the others have the numbers of their places.
  @usableFromInline static var outer: Slot { -1 }

  private let length: Int
  private var running: [Int: SubscriptionObject] = [:]
  /// The places whose elements have arrived and wait for an earlier one.
  private var ready: Set<Int> = []
  /// The first place whose element has not arrived.
  private var first = 0
  /// The place of the next source.
  private var nextPlace = 0
  /// The place of the end, once it is known.
  private var endPlace: Int?
  /// The number of sources that have been requested from the outer one and have not arrived.
  private var asked = 0

  init(length: Int) {
    self.length = length
    super.init()
  }

  /// Returns the number of further sources for which there is room, and counts them as requested.
  private func takeRoom() -> Int {
    let limit = min(length, demand.max ?? length)
    let room = max(0, limit - (nextPlace - first) - asked - waiting)
    asked += room
    return room
  }

  private func pull(_ effects: inout Effects) {
    if upstream != nil { effects.request(.max(takeRoom()), from: upstream) }
  }

  private func finishAtEnd() { if first == endPlace { finish() } }

  override func connected(
    _ subscription: SubscriptionObject, from slot: Slot, _ effects: inout Effects
  ) -> Subscribers.Demand? {
    if let endPlace, slot == Self.outer || slot.number >= endPlace { return nil }
    if slot == Self.outer { return super.connected(subscription, from: slot, &effects) }
    running[slot.number] = subscription
    return .max(1)
  }

  override func firstRequest() -> Subscribers.Demand { .max(takeRoom()) }

  override func open(_ effects: inout Effects) -> Slot? {
    guard endPlace == nil else { return nil }
    asked = max(0, asked - 1)
    nextPlace += 1
    return Slot(nextPlace - 1)
  }

  override func received(from slot: Slot, _ effects: inout Effects) -> Reception {
    guard running[slot.number] != nil, !ready.contains(slot.number) else { return .refused }
    guard slot.number == first else {
      ready.insert(slot.number)
      return .setAside
    }
    first += 1
    while ready.remove(first) != nil {
      first += 1
      paths.waiting += 1
    }
    finishAtEnd()
    return .completes
  }

  override func ended(_ slot: Slot, failed: Bool, _ effects: inout Effects) -> Ending {
    if slot == Self.outer {
      effects.release(upstream.take())
      guard endPlace == nil else { return .continues }
      endPlace = nextPlace
    } else {
      swap(&effects.released, &running[slot.number])
      guard failed, slot.number < endPlace ?? .max else { return .continues }
      endPlace = slot.number
      effects.cancel(upstream.take())
      cancelSources(from: slot.number, &effects)
    }
    finishAtEnd()
    return failed ? .ends : .continues
  }

  override func requested(_ more: Subscribers.Demand, _ effects: inout Effects) {
    demand += more
    pull(&effects)
  }

  override func delivered(_ effects: inout Effects) { pull(&effects) }

  override func dismantle(_ effects: inout Effects) {
    super.dismantle(&effects)
    cancelSources(from: 0, &effects)
  }

  private func cancelSources(from place: Int, _ effects: inout Effects) {
    for slot in running.keys.filter({ $0 >= place }).sorted() { effects.cancel(running.removeValue(forKey: slot)) }
  }

  override func limitingOperator(of slot: Slot) -> String? { "map(maxTasks:)" }

  override func inspect(_ tell: StreamFact.Tell) {
    tell(endPlace == nil ? .upstream : .ended, Self.outer.number, upstream)
    tell(.running, nextPlace - first, nil)
    tell(.limit, length, nil)
    for place in first..<min(nextPlace, first + StreamFact.maxSources) {
      if let subscription = running[place] { tell(.upstream, place, subscription) }
    }
  }
}
