/// A queue whose first element is removed in constant time.
///
/// It takes no memory until something is put in, and gives nothing back until it is dropped.
@usableFromInline
struct Ring<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  init() {}

  @inlinable
  var isEmpty: Bool { count == 0 }

  @inlinable
  var first: Element? { isEmpty ? nil : slots[head] }

  @inlinable
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(head &+ count) & (slots.count &- 1)] = element
    count &+= 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    if count == 0 { return nil }
    let element = slots[head].take()
    head = (head &+ 1) & (slots.count &- 1)
    count &-= 1
    return element
  }

  @inlinable
  mutating func popLast() -> Element? {
    if count == 0 { return nil }
    count &-= 1
    return slots[(head &+ count) & (slots.count &- 1)].take()
  }

  /// Empties the ring and returns what it held, so that it can be released elsewhere.
  @inlinable
  mutating func takeAll() -> Self {
    let all = self
    self = Self()
    return all
  }

  @inlinable @inline(never)
  mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(Swift.max(4, slots.count * 2))
    for offset in 0..<count { larger.append(slots[(head + offset) & (slots.count - 1)]) }
    while larger.count < Swift.max(4, slots.count * 2) { larger.append(nil) }
    slots = larger
    head = 0
  }
}
