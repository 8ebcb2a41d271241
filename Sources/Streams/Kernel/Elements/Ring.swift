/// A queue whose first element is removed in constant time.
///
/// It allocates no memory until the first element is added, and frees none until it is destroyed. It is not copyable:
/// it needs no uniqueness check before each change. It is not thread-safe; the lock of its owner protects it.
///
/// It is a single reference, so that the code that destroys an object with a ring needs to look up no type.
@usableFromInline @frozen
package struct Ring<Element>: ~Copyable {
  @usableFromInline var storage: RingStorage<Element>?

  @inlinable
  package init() {}

  @inlinable
  package var isEmpty: Bool { count == 0 }

  @inlinable
  package var count: Int { storage.map { $0.header.count } ?? 0 }

  /// The number of elements for which there is storage.
  @inlinable
  var capacity: Int { storage.map { $0.header.mask &+ 1 } ?? 0 }

  @inlinable
  package var first: Element? { isEmpty ? nil : self[0] }

  /// The element at the given offset from the first, which must exist.
  @inlinable
  package subscript(offset: Int) -> Element {
    unsafeAddress { UnsafePointer(existing.address(offset)) }
    unsafeMutableAddress { existing.address(offset) }
  }

  @inlinable @inline(__always)
  var existing: RingStorage<Element> { storage.unsafelyUnwrapped }

  /// Appends an element.
  ///
  /// - Complexity: Amortized O(1); O(*n*) when the storage grows.
  @inlinable
  package mutating func append(_ element: Element) {
    if count == capacity { storage = RingStorage.make(from: storage) }
    existing.append(element)
  }

  /// Removes and returns the first element, if there is one.
  @inlinable
  mutating func popFirst() -> Element? { isEmpty ? nil : existing.takeFirst() }

  /// Removes the first element, which must exist.
  @inlinable @inline(__always)
  package mutating func removeExistingFirst() -> Element { existing.takeFirst() }

  /// Removes and returns the last element, if there is one.
  @inlinable
  mutating func popLast() -> Element? { isEmpty ? nil : existing.takeLast() }

  /// Removes and returns the element at the given offset from the first, which must exist.
  ///
  /// - Complexity: O(*n*), where *n* is the number of elements on the side of it that has fewer.
  @inlinable
  mutating func remove(at offset: Int) -> Element { existing.remove(at: offset) }

  /// Appends an element, and removes the first one, which must exist.
  @inlinable @inline(__always)
  mutating func pushOutFirst(with element: Element) -> Element {
    let first = existing.takeFirst()
    existing.append(element)
    return first
  }

  /// Empties the ring and returns its contents, so that they can be released elsewhere.
  @inlinable
  mutating func takeAll() -> Self {
    var all = Self()
    swap(&all, &self)
    return all
  }
}

/// Where the elements of a ring are, and the memory for a power of two of them.
@usableFromInline @frozen
struct RingHeader {
  /// The capacity minus one.
  @usableFromInline var mask: Int
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  init(capacity: Int) { mask = capacity &- 1 }
}

/// The storage of a ring.
@usableFromInline
final class RingStorage<Element>: ManagedBuffer<RingHeader, Element> {
  /// Creates storage with twice the capacity of another one, whose elements it takes over.
  @inlinable @inline(never)
  static func make(from other: RingStorage?) -> RingStorage {
    let capacity = other.map { ($0.header.mask &+ 1) &* 2 } ?? 4
    let new = unsafeDowncast(
      create(minimumCapacity: capacity) { _ in RingHeader(capacity: capacity) }, to: RingStorage.self)
    if let other {
      while other.header.count != 0 { new.append(other.takeFirst()) }
    }
    return new
  }

  deinit {
    while header.count != 0 { _ = takeFirst() }
  }

  @inlinable
  func address(_ offset: Int) -> UnsafeMutablePointer<Element> {
    precondition(offset >= 0 && offset < header.count, "A queue has no element \(offset).")
    return place(header.head &+ offset)
  }

  @inlinable @inline(__always)
  func place(_ index: Int) -> UnsafeMutablePointer<Element> {
    withUnsafeMutablePointers { $1 + (index & $0.pointee.mask) }
  }

  @inlinable @inline(__always)
  func append(_ element: Element) {
    place(header.head &+ header.count).initialize(to: element)
    header.count &+= 1
  }

  @inlinable @inline(__always)
  func takeFirst() -> Element {
    let element = place(header.head).move()
    header.head &+= 1
    header.count &-= 1
    return element
  }

  @inlinable
  func takeLast() -> Element {
    header.count &-= 1
    return place(header.head &+ header.count).move()
  }

  @inlinable
  func remove(at offset: Int) -> Element {
    let element = address(offset).move()
    header.count &-= 1
    if offset <= header.count &- offset {
      for index in stride(from: header.head &+ offset, to: header.head, by: -1) { move(from: index &- 1, to: index) }
      header.head &+= 1
    } else {
      for index in (header.head &+ offset)..<(header.head &+ header.count) { move(from: index &+ 1, to: index) }
    }
    return element
  }

  @inlinable
  func move(from index: Int, to other: Int) { place(other).moveInitialize(from: place(index), count: 1) }
}
