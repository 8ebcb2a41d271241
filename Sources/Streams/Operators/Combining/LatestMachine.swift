/// Combines the newest elements of all sources whenever one of them sends an element.
///
/// Requests go to every source. An element that arrives without demand replaces the newest one of its source, and makes
/// no output of its own.
@usableFromInline @frozen
struct LatestMachine<Newest: NewestElements, Failure: Error>: CombiningMachine, ~Copyable {
  @usableFromInline typealias Output = Newest.Output

  @usableFromInline var newest: Newest
  @usableFromInline var sources: FixedSources
  /// The slots whose sources have sent an element.
  @usableFromInline var filled = SlotSet()

  @inlinable
  init(_ newest: Newest, count: Int) {
    self.newest = newest
    sources = FixedSources(count)
  }

  @inlinable var name: String { "combineLatest" }

  @inlinable @inline(__always)
  mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    filled.insert(slot)
    if filled == sources.all, reaction.demand > .max(reaction.waiting) { reaction.emit(newest.output) }
  }

  @usableFromInline
  func continues(without slot: Int) -> Bool { filled.contains(slot) && !sources.live.isEmpty }

  @inlinable
  mutating func discardElements(_ reaction: inout Reaction<Output, Failure>) {
    guard !filled.isEmpty else { return }
    filled = SlotSet()
    var left = Newest()
    swap(&left, &newest)
    reaction.discard(left)
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    var slots = filled
    while let slot = slots.popFirst() { tell(.kept, slot, nil) }
  }
}

/// The newest element of each source.
@usableFromInline
protocol NewestElements {
  associatedtype Output
  /// Creates the state before the first element.
  init()
  /// The newest elements, once there is one of each source.
  var output: Output { get }
}

@usableFromInline @frozen
struct NewestTwo<A, B>: NewestElements {
  @usableFromInline var a: A?
  @usableFromInline var b: B?

  @inlinable init() {}

  @inlinable @inline(__always)
  var output: (A, B) { (a.unsafelyUnwrapped, b.unsafelyUnwrapped) }
}

@usableFromInline @frozen
struct NewestThree<A, B, C>: NewestElements {
  @usableFromInline var a: A?
  @usableFromInline var b: B?
  @usableFromInline var c: C?

  @inlinable init() {}

  @inlinable @inline(__always)
  var output: (A, B, C) { (a.unsafelyUnwrapped, b.unsafelyUnwrapped, c.unsafelyUnwrapped) }
}

@usableFromInline @frozen
struct NewestFour<A, B, C, D>: NewestElements {
  @usableFromInline var a: A?
  @usableFromInline var b: B?
  @usableFromInline var c: C?
  @usableFromInline var d: D?

  @inlinable init() {}

  @inlinable @inline(__always)
  var output: (A, B, C, D) {
    (a.unsafelyUnwrapped, b.unsafelyUnwrapped, c.unsafelyUnwrapped, d.unsafelyUnwrapped)
  }
}

/// The newest elements of sources of one type.
@usableFromInline @frozen
struct NewestMany<Element>: NewestElements {
  @usableFromInline var elements: [Element?]

  @inlinable init() { elements = [] }

  @inlinable
  init(count: Int) { elements = Array(repeating: nil, count: count) }

  @inlinable
  var output: [Element] { elements.map(\.unsafelyUnwrapped) }
}
