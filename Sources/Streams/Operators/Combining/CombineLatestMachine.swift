/// Combines the newest elements of all sources whenever one of them sends an element.
///
/// Requests go to every source. An element that arrives without demand replaces the newest one of its source, and makes
/// no output of its own.
@usableFromInline @frozen
package struct CombineLatestMachine<Newest: NewestElements, Failure: Error>: CombiningMachine, ~Copyable {
  @usableFromInline package typealias Output = Newest.Output

  @usableFromInline package var newest: Newest
  @usableFromInline package var sources: FixedSources
  /// The slots whose sources have sent an element.
  @usableFromInline package var filled = SlotSet()

  @inlinable
  package init(_ newest: Newest, count: Int) {
    self.newest = newest
    sources = FixedSources(count)
  }

  @inlinable package var name: String { "combineLatest" }

  @inlinable @inline(__always)
  package mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    filled.insert(slot)
    if filled == sources.all, reaction.demand > .max(reaction.waiting) { reaction.emit(newest.output) }
  }

  @usableFromInline
  package func continues(without slot: Int) -> Bool { filled.contains(slot) && !sources.live.isEmpty }

  @inlinable
  package mutating func discardElements(_ reaction: inout Reaction<Output, Failure>) {
    guard !filled.isEmpty else { return }
    filled = SlotSet()
    var left = Newest()
    swap(&left, &newest)
    reaction.discard(left)
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    var slots = filled
    while let slot = slots.popFirst() { tell(.kept, slot, nil) }
  }
}

/// The newest element of each source.
@usableFromInline
package protocol NewestElements {
  associatedtype Output
  /// Creates the state before the first element.
  init()
  /// The newest elements, once there is one of each source.
  var output: Output { get }
}

@usableFromInline @frozen
package struct NewestTwo<A, B>: NewestElements {
  @usableFromInline package var a: A?
  @usableFromInline package var b: B?

  @inlinable package init() {}

  @inlinable @inline(__always)
  package var output: (A, B) { (a.unsafelyUnwrapped, b.unsafelyUnwrapped) }
}

@usableFromInline @frozen
package struct NewestThree<A, B, C>: NewestElements {
  @usableFromInline package var a: A?
  @usableFromInline package var b: B?
  @usableFromInline package var c: C?

  @inlinable package init() {}

  @inlinable @inline(__always)
  package var output: (A, B, C) { (a.unsafelyUnwrapped, b.unsafelyUnwrapped, c.unsafelyUnwrapped) }
}

@usableFromInline @frozen
package struct NewestFour<A, B, C, D>: NewestElements {
  @usableFromInline package var a: A?
  @usableFromInline package var b: B?
  @usableFromInline package var c: C?
  @usableFromInline package var d: D?

  @inlinable package init() {}

  @inlinable @inline(__always)
  package var output: (A, B, C, D) {
    (a.unsafelyUnwrapped, b.unsafelyUnwrapped, c.unsafelyUnwrapped, d.unsafelyUnwrapped)
  }
}

/// The newest elements of sources of one type.
@usableFromInline @frozen
package struct NewestMany<Element>: NewestElements {
  @usableFromInline package var elements: [Element?]

  @inlinable package init() { elements = [] }

  @inlinable
  package init(count: Int) { elements = Array(repeating: nil, count: count) }

  @inlinable
  package var output: [Element] { elements.map(\.unsafelyUnwrapped) }
}
