/// A queue whose first element is removed in constant time.
///
/// It takes no memory until something is put in, and gives nothing back until it is dropped. It is not copyable: it owns
/// its memory, and need not ask before every change whether somebody else sees it.
@usableFromInline @frozen
struct Ring<Element>: ~Copyable {
  /// Room for a power of two of elements, from which `mask` is one less; -1 when there is none. Raw, since the types of other
  /// pointers are looked up at run time by what is not specialised.
  @usableFromInline var slots: UnsafeMutableRawPointer?
  @usableFromInline var mask = -1
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  init() {}

  @inlinable
  deinit {
    guard let slots else { return }
    for offset in 0..<count { slot((head &+ offset) & mask).deinitialize(count: 1) }
    slots.deallocate()
  }

  @inlinable
  var isEmpty: Bool { count == 0 }

  /// How many elements there is room for.
  @inlinable
  var capacity: Int { mask &+ 1 }

  @inlinable
  var first: Element? { isEmpty ? nil : slot(head).pointee }

  /// The element with that many before it, which must be there.
  @inlinable
  subscript(offset: Int) -> Element {
    unsafeAddress { UnsafePointer(address(offset)) }
    unsafeMutableAddress { address(offset) }
  }

  @inlinable
  func address(_ offset: Int) -> UnsafeMutablePointer<Element> {
    precondition(offset >= 0 && offset < count, "A queue has no element \(offset).")
    return slot((head &+ offset) & mask)
  }

  @inlinable @inline(__always)
  func slot(_ index: Int) -> UnsafeMutablePointer<Element> {
    (slots.unsafelyUnwrapped + index &* MemoryLayout<Element>.stride).assumingMemoryBound(to: Element.self)
  }

  @inlinable
  mutating func append(_ element: Element) {
    if count > mask { grow() }
    slot((head &+ count) & mask).initialize(to: element)
    count &+= 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    count == 0 ? nil : removeExistingFirst()
  }

  /// Removes the first element, which must be there.
  @inlinable @inline(__always)
  mutating func removeExistingFirst() -> Element {
    let element = slot(head).move()
    head = (head &+ 1) & mask
    count &-= 1
    return element
  }

  @inlinable
  mutating func popLast() -> Element? {
    if count == 0 { return nil }
    count &-= 1
    return slot((head &+ count) & mask).move()
  }

  /// Puts an element in the place of the first one, which must be there, and returns that.
  @inlinable
  mutating func replaceFirst(with element: Element) -> Element {
    var element = element
    swap(&element, &slot(head).pointee)
    return element
  }

  /// Appends an element, and removes the first one, which must be there.
  @inlinable @inline(__always)
  mutating func pushOutFirst(with element: Element) -> Element {
    let first = slot(head).move()
    // If there is no other room, that is where the first one was.
    slot((head &+ count) & mask).initialize(to: element)
    head = (head &+ 1) & mask
    return first
  }

  /// Empties the ring and returns what it held, so that it can be released elsewhere.
  @inlinable
  mutating func takeAll() -> Self {
    var all = Self()
    swap(&all, &self)
    return all
  }

  // Not inlined, nor compiled for each kind of elements: it runs once in a while.
  @usableFromInline
  mutating func grow() {
    let capacity = Swift.max(4, (mask &+ 1) &* 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    if let slots {
      let front = Swift.min(count, mask &+ 1 &- head)
      larger.moveInitialize(from: slot(head), count: front)
      (larger + front).moveInitialize(from: slot(0), count: count &- front)
      slots.deallocate()
    }
    slots = UnsafeMutableRawPointer(larger)
    mask = capacity &- 1
    head = 0
  }
}
