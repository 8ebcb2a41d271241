/// The layout of elements of one type, which the kernel handles as bytes.
///
/// An engine isn't a generic type, so it's compiled once. It handles an element as bytes at an address. A function that
/// receives an element's address *takes* the element, unless its comment says otherwise: it moves the bytes elsewhere or
/// destroys the element.
///
/// Values of most types may be moved by copying their bytes. A value of another type, such as a structure with a `weak`
/// property, is put into an object first. So is a value of more than 1,024 bytes, which wouldn't be allocated on the stack, or
/// with an alignment above 16. Only functions that know the type are aware of the object.
@usableFromInline @frozen
package struct ElementLayout {
  @usableFromInline package let type: Any.Type
  @usableFromInline let bytes: UInt32
  /// Indicates whether destroying an element is a no-op.
  @usableFromInline let isTrivial: Bool

  @inlinable
  package init<Value>(_ type: Value.Type) {
    self.type = type
    bytes = UInt32(Self.isKeptAsItIs(type) ? MemoryLayout<Value>.size : MemoryLayout<Constant<Value>>.size)
    isTrivial = _isPOD(type) && Self.isKeptAsItIs(type)
  }

  @inline(__always)
  var size: ElementSize { ElementSize(bytes: Int(bytes)) }

  /// Destroys the element at an address. Called only for elements that have been stored. Others are destroyed where their type
  /// is known.
  func destroy(_ element: UnsafeMutableRawPointer) {
    func destroy<Value>(_ type: Value.Type) { _ = Self.take(type, from: element) }
    if !isTrivial { _openExistential(type, do: destroy) }
  }

  /// Returns whether values of a type are moved by copying their bytes, rather than put into an object.
  @inlinable @inline(__always)
  package static func isKeptAsItIs<Value>(_ type: Value.Type) -> Bool {
    _isBitwiseTakable(type) && MemoryLayout<Value>.size <= 1_024 && MemoryLayout<Value>.alignment <= 16
  }

  /// Calls a closure with the address of a value. The closure returns whether it has taken the value. If it hasn't, the value
  /// is destroyed.
  @inlinable @inline(__always)
  package static func lend<Value>(_ value: Value, to body: (UnsafeMutableRawPointer) -> Bool) {
    if isKeptAsItIs(Value.self) { lendAsItIs(value, to: body) } else { lendAsItIs(Constant(value), to: body) }
  }

  @inlinable @inline(__always)
  static func lendAsItIs<Value>(_ value: Value, to body: (UnsafeMutableRawPointer) -> Bool) {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place in
      let address = place.baseAddress.unsafelyUnwrapped
      address.initialize(to: value)
      if !body(UnsafeMutableRawPointer(address)) { address.deinitialize(count: 1) }
    }
  }

  /// Writes a value to uninitialized memory.
  @inlinable @inline(__always)
  package static func write<Value>(_ value: Value, to address: UnsafeMutableRawPointer) {
    if isKeptAsItIs(Value.self) {
      address.assumingMemoryBound(to: Value.self).initialize(to: value)
    } else {
      address.assumingMemoryBound(to: Constant<Value>.self).initialize(to: Constant(value))
    }
  }

  /// Copies the element at an address to uninitialized memory.
  @inlinable @inline(__always)
  package static func copy<Value>(
    _ type: Value.Type, from address: UnsafeMutableRawPointer, to copy: UnsafeMutableRawPointer
  ) {
    if isKeptAsItIs(type) {
      copy.assumingMemoryBound(to: Value.self).initialize(to: address.assumingMemoryBound(to: Value.self).pointee)
    } else {
      copy.assumingMemoryBound(to: Constant<Value>.self).initialize(
        to: address.assumingMemoryBound(to: Constant<Value>.self).pointee)
    }
  }

  /// Returns the element that a closure writes to an address.
  @inlinable @inline(__always)
  package static func made<Value>(_ write: (UnsafeMutableRawPointer) -> Void) -> Value {
    // An element that isn't kept as it is has the size of a reference.
    withUnsafeTemporaryAllocation(
      byteCount: max(MemoryLayout<Value>.size, MemoryLayout<AnyObject>.size), alignment: 16
    ) { place in
      let address = place.baseAddress.unsafelyUnwrapped
      write(address)
      return take(Value.self, from: address)
    }
  }

  /// Returns a copy of the element at an address.
  @inlinable @inline(__always)
  package static func read<Value>(_ type: Value.Type, from address: UnsafeMutableRawPointer) -> Value {
    isKeptAsItIs(type)
      ? address.assumingMemoryBound(to: Value.self).pointee
      : address.assumingMemoryBound(to: Constant<Value>.self).pointee.value
  }

  @inlinable @inline(__always)
  package static func take<Value>(_ type: Value.Type, from address: UnsafeMutableRawPointer) -> Value {
    isKeptAsItIs(type)
      ? address.assumingMemoryBound(to: Value.self).move()
      : address.assumingMemoryBound(to: Constant<Value>.self).move().value
  }
}

struct ElementSize {
  let bytes: Int

  /// The number of bytes that an element takes in a queue, including its header.
  var ofEntry: Int { MemoryLayout<ElementQueue.Header>.size &+ (bytes &+ 15) & ~15 }

  /// Moves an element to uninitialized memory.
  @inline(__always)
  func move(_ element: UnsafeMutableRawPointer, to place: UnsafeMutableRawPointer) {
    // Most elements are one word, for which calling `memcpy` would cost more than everything else.
    if bytes == 8 {
      place.storeBytes(of: element.loadUnaligned(as: UInt64.self), as: UInt64.self)
    } else {
      place.copyMemory(from: element, byteCount: bytes)
    }
  }

  @inline(__always)
  func exchange(_ element: UnsafeMutableRawPointer, with other: UnsafeMutableRawPointer) {
    if bytes == 8 {
      let word = element.loadUnaligned(as: UInt64.self)
      element.storeBytes(of: other.loadUnaligned(as: UInt64.self), as: UInt64.self)
      return other.storeBytes(of: word, as: UInt64.self)
    }
    exchangeBytes(of: element, with: other)
  }

  @inline(never)
  private func exchangeBytes(of element: UnsafeMutableRawPointer, with other: UnsafeMutableRawPointer) {
    var offset = 0
    while offset &+ 8 <= bytes {
      let word = element.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      element.storeBytes(
        of: other.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
      other.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < bytes {
      let byte = element.load(fromByteOffset: offset, as: UInt8.self)
      element.storeBytes(of: other.load(fromByteOffset: offset, as: UInt8.self), toByteOffset: offset, as: UInt8.self)
      other.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }
}
