/// Combines the newest elements of all sources whenever one of them sends an element.
///
/// Requests go to every source. An element that arrives while there's no demand replaces its source's newest element and
/// doesn't cause an output.
@usableFromInline
package final class CombineLatestEngine: CombiningEngine {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let newest: UnsafeMutablePointer<KeptElement>
  /// The addresses of the newest elements.
  private let places: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let count: Int
  /// The slots whose sources have sent an element.
  @exclusivity(unchecked) private var filled = SlotSet()
  /// The closure that copies the elements into an output.
  private let join: Join

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - layouts: The layout of each source's elements.
  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ layouts: [ElementLayout], _ join: @escaping Join) {
    count = layouts.count
    newest = .allocate(capacity: count)
    places = .allocate(capacity: count)
    for slot in 0..<count {
      (newest + slot).initialize(to: KeptElement(layouts[slot]))
      places[slot] = newest[slot].address
    }
    self.join = join
    super.init(receiver, layout, count: count)
    begin(receiver)
  }

  deinit {
    newest.deinitialize(count: count)
    newest.deallocate()
    places.deallocate()
  }

  package override var name: String { "combineLatest" }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { type == newest[slot].layout.type }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard sources.live.contains(slot) else { return }
    newest[slot].keep(&reaction)
    filled.insert(slot)
    guard filled == sources.all, reaction.demand > .max(reaction.waiting) else { return }
    reaction.emit { join(UnsafeBufferPointer(start: places, count: count), $0) }
  }

  override func continues(without slot: Int) -> Bool { filled.contains(slot) && !sources.live.isEmpty }

  override func giveUpElements(_ reaction: inout Reaction) {
    while let slot = filled.popFirst() { newest[slot].giveUp(&reaction) }
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    var slots = filled
    while let slot = slots.popFirst() { tell(.kept, slot, nil) }
  }
}
