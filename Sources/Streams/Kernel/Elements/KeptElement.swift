/// Storage for one element, such as a source's newest one.
///
/// Its owner's lock protects it. A discarded element is moved to an object that's released without the lock.
struct KeptElement: ~Copyable {
  let layout: ElementLayout
  private let place: UnsafeMutableRawPointer
  private(set) var isFull = false

  init(_ layout: ElementLayout) {
    self.layout = layout
    place = .allocate(byteCount: max(1, layout.size.bytes), alignment: 16)
  }

  deinit {
    if isFull { layout.destroy(place) }
    place.deallocate()
  }

  /// The address of the element, which stays there.
  var address: UnsafeMutableRawPointer { place }

  /// Keeps the element that has arrived, and leaves the previous one, if any, in its place.
  @inline(__always)
  mutating func keep(_ reaction: inout Reaction) {
    if isFull { return reaction.exchange(with: place, layout.size) }
    layout.size.move(reaction.take(), to: place)
    isFull = true
  }

  /// Returns the address of the element, which the caller takes.
  mutating func take() -> UnsafeMutableRawPointer {
    assert(isFull, "no element is kept")
    isFull = false
    return place
  }

  /// Discards the element, if there's one.
  mutating func giveUp(_ reaction: inout Reaction) {
    if isFull { reaction.release(GivenUpElements(take(), layout)) }
  }
}
