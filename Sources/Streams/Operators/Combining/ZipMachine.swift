/// Combines one element of each source into an output.
///
/// Every request from downstream goes to every source, because each element is part of at most one output.
@usableFromInline @frozen
package struct ZipMachine<Lines: ZipLines & ~Copyable, Failure: Error>: CombiningMachine, ~Copyable {
  @usableFromInline package typealias Output = Lines.Output

  /// The elements that wait for others.
  @usableFromInline package var lines: Lines
  @usableFromInline package var sources: FixedSources
  /// The slots with at least one element.
  @usableFromInline package var filled = SlotSet()

  @inlinable
  package init(_ lines: consuming Lines, count: Int) {
    self.lines = lines
    sources = FixedSources(count)
  }

  @inlinable package var name: String { "zip" }

  @inlinable @inline(__always)
  package mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    filled.insert(slot)
    guard filled == sources.all else { return }
    reaction.emit(lines.take())
    filled = lines.filled
    if sources.live != sources.all, !continues(without: slot) { end(with: .finished, &reaction) }
  }

  @usableFromInline
  package func continues(without slot: Int) -> Bool { sources.live.union(filled) == sources.all }

  @inlinable
  package mutating func discardElements(_ reaction: inout Reaction<Output, Failure>) {
    guard !filled.isEmpty else { return }
    filled = SlotSet()
    var left = Lines()
    swap(&left, &lines)
    reaction.discard(left)
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    var slots = filled
    while let slot = slots.popFirst() {
      tell(.kept, slot, nil)
      tell(.amount, lines.count(slot), nil)
    }
  }
}

/// The elements of several sources that wait for one another, a line for each.
@usableFromInline
package protocol ZipLines: ~Copyable {
  associatedtype Output
  /// Creates lines that nothing is added to any more.
  init()
  /// Removes the first element of each line.
  mutating func take() -> Output
  /// The lines with at least one element.
  var filled: SlotSet { get }
  /// The number of elements in a line.
  func count(_ slot: Int) -> Int
}

@usableFromInline @frozen
package struct TwoLines<A, B>: ZipLines, ~Copyable {
  @usableFromInline package var a = Ring<A>()
  @usableFromInline package var b = Ring<B>()

  @inlinable package init() {}

  @inlinable @inline(__always)
  package mutating func take() -> (A, B) { (a.removeExistingFirst(), b.removeExistingFirst()) }

  @inlinable
  package var filled: SlotSet { SlotSet().adding(0, if: !a.isEmpty).adding(1, if: !b.isEmpty) }

  @usableFromInline
  package func count(_ slot: Int) -> Int { slot == 0 ? a.count : b.count }
}

@usableFromInline @frozen
package struct ThreeLines<A, B, C>: ZipLines, ~Copyable {
  @usableFromInline package var ab = TwoLines<A, B>()
  @usableFromInline package var c = Ring<C>()

  @inlinable package init() {}

  @inlinable @inline(__always)
  package mutating func take() -> (A, B, C) {
    (ab.a.removeExistingFirst(), ab.b.removeExistingFirst(), c.removeExistingFirst())
  }

  @inlinable
  package var filled: SlotSet { ab.filled.adding(2, if: !c.isEmpty) }

  @usableFromInline
  package func count(_ slot: Int) -> Int { slot < 2 ? ab.count(slot) : c.count }
}

@usableFromInline @frozen
package struct FourLines<A, B, C, D>: ZipLines, ~Copyable {
  @usableFromInline package var ab = TwoLines<A, B>()
  @usableFromInline package var cd = TwoLines<C, D>()

  @inlinable package init() {}

  @inlinable @inline(__always)
  package mutating func take() -> (A, B, C, D) {
    (
      ab.a.removeExistingFirst(), ab.b.removeExistingFirst(), cd.a.removeExistingFirst(), cd.b.removeExistingFirst()
    )
  }

  @inlinable
  package var filled: SlotSet { ab.filled.adding(2, if: !cd.a.isEmpty).adding(3, if: !cd.b.isEmpty) }

  @usableFromInline
  package func count(_ slot: Int) -> Int { slot < 2 ? ab.count(slot) : cd.count(slot - 2) }
}

/// Lines of elements of one type.
@usableFromInline @frozen
package struct ManyLines<Element>: ZipLines, ~Copyable {
  // Objects, because an array can't hold a ring.
  @usableFromInline package let lines: [Line]

  @usableFromInline @_fixed_layout
  package final class Line {
    // Exclusive: accessed only under the engine's lock, which is never held while unknown code runs.
    @usableFromInline @exclusivity(unchecked) package var elements = Ring<Element>()

    @inlinable package init() {}
  }

  @inlinable package init() { lines = [] }

  @inlinable
  package init(count: Int) { lines = (0..<count).map { _ in Line() } }

  // Here, because other modules check the exclusivity of the field nevertheless.
  @inlinable @inline(__always)
  package func append(_ element: consuming Element, to slot: Int) { lines[slot].elements.append(element) }

  @inlinable
  package mutating func take() -> [Element] { lines.map { $0.elements.removeExistingFirst() } }

  @inlinable
  package var filled: SlotSet {
    var filled = SlotSet()
    for slot in lines.indices where !lines[slot].elements.isEmpty { filled.insert(slot) }
    return filled
  }

  @usableFromInline
  package func count(_ slot: Int) -> Int { lines[slot].elements.count }
}
