/// A queue of waiting elements, stored as bytes, each with a tag and its sender's context.
///
/// It doesn't allocate memory until the first element is added. It doesn't know how to destroy its elements, so its owner has
/// to call `destroy(_:)` with their layout. It isn't thread-safe: its owner's lock protects it.
package struct ElementQueue: ~Copyable {
  /// Storage for a power-of-two number of entries. `mask` is that number minus one, or -1 without storage.
  package var entries: UnsafeMutableRawPointer?
  package var mask = -1
  package var head = 0
  package var count = 0

  /// The header in front of an element's bytes.
  package struct Header {
    /// The number by which the engine identifies the element, such as the slot of its source.
    package let tag: Int
    /// The sender's retained context, if contexts are carried.
    package let context: Unmanaged<ContextSnapshot>?

    /// The tag of an entry without an element.
    static var noElement: Int { .min }

    init(_ tag: Int, _ context: Unmanaged<ContextSnapshot>?) {
      self.tag = tag
      self.context = context
    }
  }
  package init() {}
  package var isEmpty: Bool { count == 0 }

  /// The number of elements that the storage can hold.
  package var capacity: Int { mask &+ 1 }

  /// Returns the entry at an offset, which must be less than `count`.
  @inline(__always)
  func entry(_ offset: Int, _ size: ElementSize) -> UnsafeMutableRawPointer {
    assert(offset >= 0 && offset < count, "A queue has no element \(offset).")
    return physicalEntry((head &+ offset) & mask, size)
  }

  @inline(__always)
  private func physicalEntry(_ index: Int, _ size: ElementSize) -> UnsafeMutableRawPointer {
    entries.unsafelyUnwrapped + index &* size.ofEntry
  }

  /// Returns the header of the element at an offset, which must be less than `count`.
  @inline(__always)
  func header(_ offset: Int, _ size: ElementSize) -> Header { entry(offset, size).load(as: Header.self) }

  /// Returns the address of the element at an offset, which must be less than `count`.
  @inline(__always)
  func element(_ offset: Int, _ size: ElementSize) -> UnsafeMutableRawPointer {
    entry(offset, size) + MemoryLayout<Header>.size
  }

  /// Appends an element, taking it from its address.
  ///
  /// - Complexity: Amortized O(1).
  @inline(__always)
  mutating func append(
    _ element: UnsafeMutableRawPointer, tag: Int, _ context: Unmanaged<ContextSnapshot>?, _ size: ElementSize
  ) {
    if count > mask { grow(size) }
    let entry = physicalEntry((head &+ count) & mask, size)
    if let context { _ = context.retain() }
    entry.storeBytes(of: Header(tag, context), as: Header.self)
    size.move(element, to: entry + MemoryLayout<Header>.size)
    count &+= 1
  }

  /// Appends an entry without an element, as a placeholder for something else.
  mutating func appendNoElement(_ size: ElementSize) {
    if count > mask { grow(size) }
    physicalEntry((head &+ count) & mask, size).storeBytes(of: Header(Header.noElement, nil), as: Header.self)
    count &+= 1
  }

  /// Appends the element at an address, and moves the first element, which must exist, to that address. Returns the removed
  /// element's context.
  @inline(__always)
  mutating func pushOutFirst(
    with element: UnsafeMutableRawPointer, _ context: Unmanaged<ContextSnapshot>?, _ size: ElementSize
  ) -> Unmanaged<ContextSnapshot>? {
    let first = physicalEntry(head, size)
    let former = first.load(as: Header.self)
    // If the storage is full, this is the entry of the first element.
    let last = physicalEntry((head &+ count) & mask, size)
    if let context { _ = context.retain() }
    last.storeBytes(of: Header(former.tag, context), as: Header.self)
    if first == last {
      size.exchange(first + MemoryLayout<Header>.size, with: element)
    } else {
      size.move(element, to: last + MemoryLayout<Header>.size)
      size.move(first + MemoryLayout<Header>.size, to: element)
    }
    head = (head &+ 1) & mask
    return former.context
  }

  /// Appends the element at an address, and moves an existing element, given by its offset from the first one, to that address.
  /// Returns the removed element's header.
  ///
  /// - Complexity: O(1) for the first, otherwise O(*n*), where *n* is the number of elements behind the removed one.
  mutating func push(
    _ element: UnsafeMutableRawPointer, tag: Int, _ context: Unmanaged<ContextSnapshot>?, replacing offset: Int,
    _ size: ElementSize
  ) -> Header {
    let former = header(offset, size)
    if offset == 0 {
      _ = pushOutFirst(with: element, context, size)
      entry(count &- 1, size).storeBytes(of: Header(tag, context), as: Header.self)
      return former
    }
    if let context { _ = context.retain() }
    entry(offset, size).storeBytes(of: Header(tag, context), as: Header.self)
    size.exchange(self.element(offset, size), with: element)
    // Moves the new element behind all others.
    let whole = ElementSize(bytes: size.ofEntry)
    for index in offset..<(count &- 1) { whole.exchange(entry(index, size), with: entry(index &+ 1, size)) }
    return former
  }

  /// Removes the first entry, which must exist, and moves its element, if any, to uninitialized memory.
  @inline(__always)
  mutating func removeFirst(to place: UnsafeMutableRawPointer, _ size: ElementSize) -> Header {
    let entry = physicalEntry(head, size)
    head = (head &+ 1) & mask
    count &-= 1
    let header = entry.load(as: Header.self)
    if header.tag != Header.noElement { size.move(entry + MemoryLayout<Header>.size, to: place) }
    return header
  }

  /// Exchanges the newest element, which must exist, with the one at an address, and replaces its context. Returns the former
  /// context.
  @inline(__always)
  mutating func exchangeNewest(
    with element: UnsafeMutableRawPointer, _ context: Unmanaged<ContextSnapshot>?, _ size: ElementSize
  ) -> Unmanaged<ContextSnapshot>? {
    let entry = entry(count &- 1, size)
    let former = entry.load(as: Header.self)
    if let context { _ = context.retain() }
    entry.storeBytes(of: Header(former.tag, context), as: Header.self)
    size.exchange(entry + MemoryLayout<Header>.size, with: element)
    return former.context
  }

  /// Removes the entry of the first element, which has been taken from its address.
  @inline(__always)
  mutating func removeTaken() {
    head = (head &+ 1) & mask
    count &-= 1
  }

  /// Removes the newest element, which must exist, and moves it to uninitialized memory.
  mutating func removeNewest(to place: UnsafeMutableRawPointer, _ size: ElementSize) -> Header {
    let entry = entry(count &- 1, size)
    count &-= 1
    size.move(entry + MemoryLayout<Header>.size, to: place)
    return entry.load(as: Header.self)
  }

  private mutating func grow(_ size: ElementSize) {
    let capacity = Swift.max(4, (mask &+ 1) &* 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity &* size.ofEntry, alignment: 16)
    if let entries {
      let front = Swift.min(count, mask &+ 1 &- head) &* size.ofEntry
      larger.copyMemory(from: physicalEntry(head, size), byteCount: front)
      (larger + front).copyMemory(from: entries, byteCount: count &* size.ofEntry &- front)
      entries.deallocate()
    }
    entries = larger
    mask = capacity &- 1
    head = 0
  }

  /// Destroys the elements and frees the memory. The queue must not be used afterward.
  @inline(__always)
  func destroy(_ layout: @autoclosure () -> ElementLayout) { if entries != nil { destroyElements(layout()) } }

  // Not inlined, because most queues are empty at the end.
  @inline(never)
  private func destroyElements(_ layout: ElementLayout) {
    for offset in 0..<count {
      header(offset, layout.size).context?.release()
      if header(offset, layout.size).tag != Header.noElement {
        layout.destroy(element(offset, layout.size))
      }
    }
    entries?.deallocate()
  }

  /// Empties the queue and returns its contents, so they can be destroyed elsewhere.
  mutating func takeAll() -> ElementQueue {
    var all = ElementQueue()
    swap(&all, &self)
    return all
  }
}

/// Elements that an owner discards under its lock. They're destroyed with this object, without the lock.
final class GivenUpElements {
  private var queue: ElementQueue
  private let layout: ElementLayout

  init(_ queue: consuming ElementQueue, _ layout: ElementLayout) {
    self.queue = queue
    self.layout = layout
  }

  convenience init(_ element: UnsafeMutableRawPointer, _ layout: ElementLayout) {
    var queue = ElementQueue()
    queue.append(element, tag: 0, nil, layout.size)
    self.init(queue, layout)
  }

  /// Returns the address of the first element, which the caller takes.
  func takeFirst() -> UnsafeMutableRawPointer {
    let element = queue.element(0, layout.size)
    queue.removeTaken()
    return element
  }

  deinit { queue.destroy(layout) }
}
