/// A queue whose first element is removed in constant time.
///
/// It doesn't allocate memory until the first element is added, or free any until it's destroyed. It isn't copyable: it owns
/// its memory, and doesn't need a uniqueness check before each change. It isn't thread-safe: its owner's lock protects it.
@usableFromInline @frozen
package struct Ring<Element>: ~Copyable {
  /// Storage for a power-of-two number of elements. `mask` is that number minus one, or -1 without storage. The pointer is raw,
  /// because unspecialized code would look up a typed pointer's type at run time.
  @usableFromInline package var slots: UnsafeMutableRawPointer?
  @usableFromInline package var mask = -1
  @usableFromInline package var head = 0
  @usableFromInline package var count = 0

  @inlinable
  package init() {}

  @inlinable
  deinit { if slots != nil { destroyElements() } }

  // Neither inlined nor compiled for each element type, because most rings are empty at the end.
  @usableFromInline
  package func destroyElements() {
    for offset in 0..<count { physicalAddress((head &+ offset) & mask).deinitialize(count: 1) }
    slots?.deallocate()
  }

  @inlinable
  package var isEmpty: Bool { count == 0 }

  /// The number of elements that the storage can hold.
  package var capacity: Int { mask &+ 1 }

  @inlinable
  package var first: Element? { isEmpty ? nil : physicalAddress(head).pointee }

  /// The element at the given offset, which must be less than `count`.
  @inlinable
  package subscript(offset: Int) -> Element {
    unsafeAddress { UnsafePointer(address(offset)) }
    unsafeMutableAddress { address(offset) }
  }

  @inlinable
  package func address(_ offset: Int) -> UnsafeMutablePointer<Element> {
    precondition(offset >= 0 && offset < count, "A queue has no element \(offset).")
    return physicalAddress((head &+ offset) & mask)
  }

  @inlinable @inline(__always)
  package func physicalAddress(_ index: Int) -> UnsafeMutablePointer<Element> {
    (slots.unsafelyUnwrapped + index &* MemoryLayout<Element>.stride).assumingMemoryBound(to: Element.self)
  }

  /// Appends an element.
  ///
  /// - Complexity: Amortized O(1).
  @inlinable
  package mutating func append(_ element: Element) {
    if count > mask { grow() }
    physicalAddress((head &+ count) & mask).initialize(to: element)
    count &+= 1
  }

  /// Removes and returns the first element, if there's one.
  @inlinable
  package mutating func popFirst() -> Element? {
    count == 0 ? nil : removeExistingFirst()
  }

  /// Removes and returns the first element, which must exist.
  @inlinable @inline(__always)
  package mutating func removeExistingFirst() -> Element {
    let element = physicalAddress(head).move()
    head = (head &+ 1) & mask
    count &-= 1
    return element
  }

  /// Removes and returns the last element, if there's one.
  @inlinable
  package mutating func popLast() -> Element? {
    if count == 0 { return nil }
    count &-= 1
    return physicalAddress((head &+ count) & mask).move()
  }

  /// Removes and returns the element at the given offset, which must be less than `count`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of elements before or behind it, whichever is smaller.
  @inlinable
  package mutating func remove(at offset: Int) -> Element {
    let element = address(offset).move()
    count &-= 1
    if offset <= count &- offset {
      for place in stride(from: head &+ offset, to: head, by: -1) { moveElement(from: place &- 1, to: place) }
      head = (head &+ 1) & mask
    } else {
      for place in (head &+ offset)..<(head &+ count) { moveElement(from: place &+ 1, to: place) }
    }
    return element
  }

  @inlinable
  package func moveElement(from place: Int, to other: Int) {
    physicalAddress(other & mask).moveInitialize(from: physicalAddress(place & mask), count: 1)
  }

  /// Empties the ring and returns its contents, so they can be released elsewhere.
  @inlinable
  package mutating func takeAll() -> Self {
    var all = Self()
    swap(&all, &self)
    return all
  }

  // Neither inlined nor compiled for each element type, because it rarely runs.
  @usableFromInline
  package mutating func grow() {
    let capacity = Swift.max(4, (mask &+ 1) &* 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    if let slots {
      let front = Swift.min(count, mask &+ 1 &- head)
      larger.moveInitialize(from: physicalAddress(head), count: front)
      (larger + front).moveInitialize(from: physicalAddress(0), count: count &- front)
      slots.deallocate()
    }
    slots = UnsafeMutableRawPointer(larger)
    mask = capacity &- 1
    head = 0
  }
}
