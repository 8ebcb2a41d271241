/// Combines one element of each source into an output.
///
/// Every request from downstream goes to every source, because each element is part of at most one output.
@usableFromInline
package final class ZipEngine: ByteEngine {
  /// Makes an output of one element of each source, which it takes. It captures nothing.
  @usableFromInline package typealias Join = (UnsafeBufferPointer<UnsafeMutableRawPointer>, UnsafeMutableRawPointer) ->
    Void

  /// The elements of a source that wait for others.
  private struct Line: ~Copyable {
    var queue = ElementQueue()
    let layout: ElementLayout
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let lines: UnsafeMutablePointer<Line>
  /// Where the elements are that are being joined.
  private let joined: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let count: Int
  @exclusivity(unchecked) private var sources: FixedSources
  /// The slots with at least one element.
  @exclusivity(unchecked) private var filled = SlotSet()
  private let join: Join

  /// Sends the engine downstream.
  ///
  /// - Parameters:
  ///   - layouts: How the elements of each source are stored.
  @usableFromInline
  package init(_ receiver: ByteReceiver, _ layout: ElementLayout, _ layouts: [ElementLayout], _ join: @escaping Join) {
    count = layouts.count
    lines = .allocate(capacity: count)
    joined = .allocate(capacity: count)
    for slot in 0..<count { (lines + slot).initialize(to: Line(layout: layouts[slot])) }
    sources = FixedSources(count)
    self.join = join
    super.init(receiver, layout, .makesElements)
    begin(receiver)
  }

  deinit {
    for slot in 0..<count { lines[slot].queue.destroy(lines[slot].layout) }
    lines.deinitialize(count: count)
    lines.deallocate()
    joined.deallocate()
  }

  package override var name: String { "zip" }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout ByteReaction
  ) -> Subscribers.Demand? {
    sources.connected(subscription, to: slot, requesting: reaction.demand - reaction.waiting)
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout ByteReaction) {
    sources.request(more, &reaction)
  }

  package override func receives(_ type: Any.Type, from slot: Int) -> Bool { type == lines[slot].layout.type }

  package override func received(from slot: Int, _ reaction: inout ByteReaction) {
    guard sources.live.contains(slot) else { return }
    guard !filled.contains(slot), filled.adding(slot, if: true) == sources.all else {
      lines[slot].queue.append(reaction.take(), tag: 0, nil, lines[slot].layout.size)
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
    if sources.live != sources.all, !continues { end(with: .finished, &reaction) }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout ByteReaction
  ) {
    guard sources.ended(slot, &reaction) else { return }
    if case .finished = completion, continues { return }
    end(with: completion, &reaction)
  }

  /// Indicates whether an output may follow, although a source has ended.
  private var continues: Bool { sources.live.union(filled) == sources.all }

  /// Ends the stream, and cancels the sources that are left.
  private func end(with completion: Subscribers.Completion<any Error>, _ reaction: inout ByteReaction) {
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  package override func cancelSources(_ reaction: inout ByteReaction) { sources.cancel(&reaction) }

  package override func tearDown(_ reaction: inout ByteReaction) {
    cancelSources(&reaction)
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
