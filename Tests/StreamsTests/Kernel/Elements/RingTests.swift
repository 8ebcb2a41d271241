import Testing

@testable import Streams

struct RingTests {
  private func popAll(_ ring: inout Ring<Int>) -> [Int] {
    var elements: [Int] = []
    while let element = ring.popFirst() { elements.append(element) }
    return elements
  }

  @Test func `is empty at first`() {
    var ring = Ring<Int>()
    let isEmpty = ring.isEmpty
    #expect(isEmpty)
    let first = ring.first
    #expect(first == nil)
    let (oldest, newest) = (ring.popFirst(), ring.popLast())
    #expect(oldest == nil)
    #expect(newest == nil)
  }

  @Test func `gives its elements back in order`() {
    var ring = Ring<Int>()
    for number in 0..<100 { ring.append(number) }
    let count = ring.count
    #expect(count == 100)
    let first = ring.first
    #expect(first == 0)
    let elements = popAll(&ring)

    #expect(elements == Array(0..<100))
    let isEmpty = ring.isEmpty
    #expect(isEmpty)
  }

  @Test func `keeps the order when it grows with its beginning in the middle`() {
    var ring = Ring<Int>()
    for number in 0..<4 { ring.append(number) }
    _ = ring.popFirst()
    _ = ring.popFirst()
    for number in 4..<20 { ring.append(number) }
    let elements = popAll(&ring)

    #expect(elements == Array(2..<20))
  }

  @Test func `uses its room again`() {
    var ring = Ring<Int>()
    for number in 0..<1000 {
      ring.append(number)
      ring.append(number)
      _ = ring.popFirst()
      _ = ring.popFirst()
    }

    let capacity = ring.capacity
    #expect(capacity == 4)
  }

  @Test func `gives back the newest`() {
    var ring = Ring<Int>()
    for number in 0..<6 { ring.append(number) }
    let last = ring.popLast()
    ring.append(9)
    let elements = popAll(&ring)

    #expect(last == 5)
    #expect(elements == [0, 1, 2, 3, 4, 9])
  }

  @Test func `holds elements that are nil`() {
    var ring = Ring<Int?>()
    ring.append(nil)
    ring.append(1)
    let first = ring.popFirst()

    #expect(first == .some(nil))
    let count = ring.count
    #expect(count == 1)
  }

  @Test func `lets go of what is taken out`() {
    final class Leaf {}
    weak var leaf: Leaf?
    var ring = Ring<Leaf>()
    do {
      let object = Leaf()
      leaf = object
      ring.append(object)
    }
    #expect(leaf != nil)
    _ = ring.popFirst()

    #expect(leaf == nil)
  }

  @Test func `hands over everything it holds`() {
    var ring = Ring<Int>()
    ring.append(1)
    ring.append(2)
    var all = ring.takeAll()
    let elements = popAll(&all)

    let isEmpty = ring.isEmpty
    #expect(isEmpty)
    #expect(elements == [1, 2])
  }
}

struct SlotTableTests {
  @Test func `numbers the first slots from zero`() {
    var table = SlotTable()
    let slots = [table.open(), table.open(), table.open()]

    #expect(slots == [0, 1, 2])
    #expect(table.liveCount == 3)
  }

  @Test func `keeps one subscription for each slot`() {
    var table = SlotTable()
    let slot = table.open()
    let first = table.connect(NamedSubscription("a"), to: slot)
    let second = table.connect(NamedSubscription("b"), to: slot)

    #expect(first)
    #expect(!second)
    #expect(table.subscription(of: slot).map { "\($0)" } == "a")
  }

  @Test func `closes a slot once, and lets its subscription be released outside`() {
    var table = SlotTable()
    let slot = table.open()
    _ = table.connect(NamedSubscription("a"), to: slot)
    var (released, nothing): (SubscriptionObject?, SubscriptionObject?) = (nil, nil)
    let closed = [table.close(slot, &released), table.close(slot, &nothing)]

    #expect(closed == [true, false])
    #expect(released.map { "\($0)" } == "a")
    #expect(nothing == nil)
    #expect(table.liveCount == 0)
  }

  @Test func `uses a place again under another number`() {
    var table = SlotTable()
    let first = table.open()
    var released: SubscriptionObject?
    _ = table.close(first, &released)
    let second = table.open()

    #expect(first != second)
    #expect(!table.isOpen(first))
    #expect(table.isOpen(second))
    #expect(table.liveCount == 1)
  }

  @Test func `uses a place again when the elements of its source are gone`() {
    var table = SlotTable()
    let first = table.open()
    table.keepElement(of: first)
    var released: SubscriptionObject?
    _ = table.close(first, &released)
    let freedByEnd = table.takeFreed()
    table.dropElement(of: first)
    let freedByDrop = table.takeFreed()
    table.dropElement(of: first)
    let freedByNothing = table.takeFreed()
    let second = table.open()

    #expect([freedByEnd, freedByDrop, freedByNothing] == [0, 1, 0])
    #expect(table.isOpen(second))
    #expect(table.liveCount == 1)
  }

  @Test func `knows no slot that it did not open`() {
    let table = SlotTable()

    #expect(!table.isOpen(0))
    #expect(!table.isOpen(-1))
    #expect(table.subscription(of: 5) == nil)
  }

  @Test func `gives up every subscription`() {
    var table = SlotTable()
    _ = table.connect(NamedSubscription("a"), to: table.open())
    _ = table.open()
    _ = table.connect(NamedSubscription("c"), to: table.open())
    let all = table.removeAll().map { "\($0)" }

    #expect(all == ["a", "c"])
    #expect(table.liveCount == 0)
  }
}
