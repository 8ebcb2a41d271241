import Streams
import Testing

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

  @Test func `returns its elements in order`() {
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

  @Test func `keeps the order when it grows with its start in the middle`() {
    var ring = Ring<Int>()
    for number in 0..<4 { ring.append(number) }
    _ = ring.popFirst()
    _ = ring.popFirst()
    for number in 4..<20 { ring.append(number) }
    let elements = popAll(&ring)

    #expect(elements == Array(2..<20))
  }

  @Test(arguments: 0..<6)
  func `removes an element from the middle, wherever its start is`(_ start: Int) {
    for offset in 0..<6 {
      var ring = Ring<Int>()
      for _ in 0..<start { ring.append(-1) }
      for number in 0..<6 { ring.append(number) }
      for _ in 0..<start { _ = ring.popFirst() }
      let removed = ring.remove(at: offset)
      ring.append(6)
      let elements = popAll(&ring)

      #expect(removed == offset)
      #expect(elements == (0...6).filter { $0 != offset })
    }
  }

  @Test func `reuses its capacity`() {
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

  @Test func `removes the latest element`() {
    var ring = Ring<Int>()
    for number in 0..<6 { ring.append(number) }
    let last = ring.popLast()
    ring.append(9)
    let elements = popAll(&ring)

    #expect(last == 5)
    #expect(elements == [0, 1, 2, 3, 4, 9])
  }

  @Test func `holds nil elements`() {
    var ring = Ring<Int?>()
    ring.append(nil)
    ring.append(1)
    let first = ring.popFirst()

    #expect(first == .some(nil))
    let count = ring.count
    #expect(count == 1)
  }

  @Test func `releases removed elements`() {
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

  @Test func `returns all elements at once`() {
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
