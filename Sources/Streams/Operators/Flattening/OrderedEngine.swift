/// Runs sources concurrently, each of which sends one element, and delivers the elements in the sources' order.
///
/// The engine requests as many sources as the line has room for, and elements wait in the line for demand. The end of the stream
/// has a position in the line too, so earlier elements are still delivered.
package final class OrderedEngine: Engine {
  private struct Entry {
    var source = SingleSource()
    /// The element, while it waits for an earlier one.
    var element: GivenUpElements?
    var context: ContextSnapshot?
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let length: Int
  @exclusivity(unchecked) private var outer = SingleSource()
  /// The sources whose elements haven't been delivered, in order.
  @exclusivity(unchecked) private var line = Ring<Entry>()
  /// The slot of the first entry in the line.
  @exclusivity(unchecked) private var first = 1
  /// The slot at which the stream ends, once it's known.
  @exclusivity(unchecked) private var end: Int?
  @exclusivity(unchecked) private var completion = Subscribers.Completion<any Error>.finished
  /// The number of requested sources that haven't arrived yet.
  @exclusivity(unchecked) private var asked = 0

  package init(_ receiver: Receiver, _ layout: ElementLayout, length: Int) {
    self.length = length
    super.init(receiver, layout, .tracksDeliveries)
    begin(receiver)
  }

  package override var name: String { "map(maxTasks:)" }

  private func position(_ slot: Int) -> Int? { slot >= first && slot < first + line.count ? slot - first : nil }

  /// Returns the number of further sources that may be requested, and counts them as requested.
  private func takeRoom(_ reaction: borrowing Reaction) -> Int {
    let room = max(0, length - line.count - asked - reaction.waiting)
    asked += room
    return room
  }

  private func pull(_ reaction: inout Reaction) {
    if let subscription = outer.subscription { reaction.request(.max(takeRoom(reaction)), from: subscription) }
  }

  private func finishAtEnd(_ reaction: inout Reaction) {
    if first == end { reaction.finish(completion) }
  }

  package override func openSlot(_ reaction: inout Reaction) -> Int? {
    if end != nil { return nil }
    asked = max(0, asked - 1)
    line.append(Entry())
    return first + line.count - 1
  }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if slot == 0 { return end == nil ? outer.connected(subscription, requesting: .max(takeRoom(reaction))) : nil }
    guard slot < end ?? .max, let position = position(slot) else { return nil }
    return line[position].source.connected(subscription, requesting: .max(1))
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    guard let position = position(slot), line[position].source.isLive, line[position].element == nil else { return }
    if position == 0 {
      reaction.store()
      removeFirst(&reaction)
    } else {
      line[position].element = GivenUpElements(reaction.take(), layout)
      reaction.keepContext(in: &line[position].context)
    }
    while let element = line.first?.element {
      reaction.store(in: line.first?.context) { layout.size.move(element.takeFirst(), to: $0) }
      removeFirst(&reaction)
    }
    reaction.setReady(reaction.waiting)
    finishAtEnd(&reaction)
  }

  private func removeFirst(_ reaction: inout Reaction) {
    reaction.release(line.popFirst()?.source.subscription)
    first += 1
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    if slot == 0 {
      guard outer.ended(&reaction), end == nil else { return }
      end = first + line.count
      self.completion = completion
    } else {
      guard let position = position(slot), line[position].source.ended(&reaction), case .failure = completion else {
        return
      }
      end = slot
      // The outer source may have failed before.
      if case .failure(let error) = self.completion { reaction.release(Constant(error)) }
      self.completion = completion
      outer.cancel(&reaction)
      cancelLine(from: position, &reaction)
    }
    finishAtEnd(&reaction)
  }

  private func cancelLine(from position: Int, _ reaction: inout Reaction) {
    for position in position..<line.count { line[position].source.cancel(&reaction) }
  }

  package override func delivered(_ tag: Int, _ reaction: inout Reaction) { pull(&reaction) }

  package override func cancelSources(_ reaction: inout Reaction) {
    outer.cancel(&reaction)
    cancelLine(from: 0, &reaction)
  }

  package override func tearDown(_ reaction: inout Reaction) {
    cancelSources(&reaction)
    while let entry = line.popFirst() {
      reaction.release(entry.element)
      reaction.release(entry.context)
    }
  }

  package override func limitingOperator(of slot: Int) -> String? { name }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    outer.tell(tell)
    tell(.running, line.count, nil)
    tell(.limit, length, nil)
    for position in 0..<min(line.count, StreamFact.maxReportedSources) {
      if let subscription = line[position].source.subscription { tell(.upstream, first + position, subscription) }
    }
  }
}
