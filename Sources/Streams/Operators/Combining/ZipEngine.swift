/// Combines one element of each source into an output.
///
/// Every request from downstream goes to every source, because each element is part of at most one output.
@usableFromInline
package final class ZipEngine: CombiningEngine {
  /// A source's elements that wait for elements from other sources.
  private struct Line: ~Copyable {
    var queue = ElementQueue()
    let layout: ElementLayout
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let lines: UnsafeMutablePointer<Line>
  /// The addresses of the elements that are being joined.
  private let joined: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let count: Int
  /// The slots with at least one element.
  @exclusivity(unchecked) private var filled = SlotSet()
  /// The closure that moves the elements into an output.
  private let join: Join

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - layouts: The layout of each source's elements.
  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ layouts: [ElementLayout], _ join: @escaping Join) {
    count = layouts.count
    lines = .allocate(capacity: count)
    joined = .allocate(capacity: count)
    for slot in 0..<count { (lines + slot).initialize(to: Line(layout: layouts[slot])) }
    self.join = join
    super.init(receiver, layout, count: layouts.count)
    begin(receiver)
  }

  deinit {
    for slot in 0..<count { lines[slot].queue.destroy(lines[slot].layout) }
    lines.deinitialize(count: count)
    lines.deallocate()
    joined.deallocate()
  }

  package override var name: String { "zip" }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { type == lines[slot].layout.type }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard sources.live.contains(slot) else { return }
    guard !filled.contains(slot), filled.adding(slot, if: true) == sources.all else {
      lines[slot].queue.append(reaction.take(), tag: 0, nil, lines[slot].layout.size)
      assert(notes(waiting: lines[slot].queue.count))
      return filled.insert(slot)
    }
    joined[slot] = reaction.take()
    var others = filled
    while let other = others.popFirst() {
      joined[other] = lines[other].queue.element(0, lines[other].layout.size)
    }
    reaction.emit { join(UnsafeBufferPointer(start: joined, count: count), $0) }
    others = filled
    while let other = others.popFirst() {
      lines[other].queue.removeTaken()
      if lines[other].queue.isEmpty { filled.remove(other) }
    }
    if sources.live != sources.all, !continues(without: slot) { end(with: .finished, &reaction) }
  }

  override func continues(without slot: Int) -> Bool { sources.live.union(filled) == sources.all }

  override func giveUpElements(_ reaction: inout Reaction) {
    while let slot = filled.popFirst() {
      reaction.release(GivenUpElements(lines[slot].queue.takeAll(), lines[slot].layout))
    }
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    var slots = filled
    while let slot = slots.popFirst() {
      tell(.kept, slot, nil)
      tell(.amount, lines[slot].queue.count, nil)
    }
  }
}
