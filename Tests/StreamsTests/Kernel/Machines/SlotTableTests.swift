import Testing

@testable import Streams

struct SlotTableTests {
  @Test func `numbers the first slots from zero`() {
    var table = SlotTable()
    let slots = [table.open(), table.open(), table.open()]
    let liveCount = table.liveCount

    #expect(slots == [0, 1, 2])
    #expect(liveCount == 3)
  }

  @Test func `can start with the first slots open`() {
    var table = SlotTable(open: 3)
    let areOpen = [0, 1, 2, 3].map { table.isOpen($0) }
    let liveCount = table.liveCount
    let next = table.open()

    #expect(areOpen == [true, true, true, false])
    #expect(liveCount == 3)
    #expect(next == 3)
  }

  @Test func `keeps one subscription for each slot`() {
    var table = SlotTable()
    let slot = table.open()
    let first = table.connect(NamedSubscription("a"), to: slot)
    let second = table.connect(NamedSubscription("b"), to: slot)
    let name = table.subscription(of: slot).map { "\($0)" }

    #expect(first)
    #expect(!second)
    #expect(name == "a")
  }

  @Test func `keeps its subscriptions when it grows`() {
    var table = SlotTable()
    for number in 0..<100 { _ = table.connect(NamedSubscription("\(number)"), to: table.open()) }
    let names = (0..<100).map { "\(table.subscription(of: OldMachine.Slot($0))!)" }

    #expect(names == (0..<100).map { "\($0)" })
  }

  @Test func `closes a slot once, and returns its subscription for release outside`() {
    var table = SlotTable()
    let slot = table.open()
    _ = table.connect(NamedSubscription("a"), to: slot)
    var (released, nothing): (SubscriptionObject?, SubscriptionObject?) = (nil, nil)
    let closed = [table.close(slot, &released), table.close(slot, &nothing)]
    let liveCount = table.liveCount

    #expect(closed == [true, false])
    #expect(released.map { "\($0)" } == "a")
    #expect(nothing == nil)
    #expect(liveCount == 0)
  }

  @Test func `reuses a place under another number`() {
    var table = SlotTable()
    let first = table.open()
    var released: SubscriptionObject?
    _ = table.close(first, &released)
    let second = table.open()
    let areOpen = [table.isOpen(first), table.isOpen(second)]
    let liveCount = table.liveCount

    #expect(first != second)
    #expect(areOpen == [false, true])
    #expect(liveCount == 1)
  }

  @Test func `reuses every free place before it creates another`() {
    var table = SlotTable(open: 4)
    var released: SubscriptionObject?
    for slot: OldMachine.Slot in [2, 0, 3] { _ = table.close(slot, &released) }
    let slots = (0..<4).map { _ in table.open() }
    let areOpen = ([1] + slots).map { table.isOpen($0) }
    let liveCount = table.liveCount

    #expect(slots.map { $0.number & 0xff } == [3, 0, 2, 4])
    #expect(areOpen == [true, true, true, true, true])
    #expect(liveCount == 5)
  }

  @Test func `reuses a place when the elements of its source are gone`() {
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
    let isOpen = table.isOpen(second)
    let liveCount = table.liveCount

    #expect([freedByEnd, freedByDrop, freedByNothing] == [0, 1, 0])
    #expect(isOpen)
    #expect(liveCount == 1)
  }

  @Test func `counts elements of a reused place from zero`() {
    var table = SlotTable(open: 3)
    var released: SubscriptionObject?
    for number in 0..<3 { _ = table.close(OldMachine.Slot(number), &released) }
    _ = table.takeFreed()
    let slots = (0..<3).map { _ in table.open() }
    for slot in slots { table.keepElement(of: slot) }
    for slot in slots { _ = table.close(slot, &released) }
    let freedByEnds = table.takeFreed()
    for slot in slots { table.dropElement(of: slot) }
    let freedByDrops = table.takeFreed()

    #expect(freedByEnds == 0)
    #expect(freedByDrops == 3)
  }

  @Test func `treats unopened slots as closed`() {
    var table = SlotTable(open: 1)
    var released: SubscriptionObject?
    _ = table.close(0, &released)
    let areOpen = [0, 1, -1, -2, 1 << 32].map { table.isOpen(OldMachine.Slot($0)) }
    let subscription = table.subscription(of: 5)
    let isClosed = table.close(-1, &released)

    #expect(areOpen == [false, false, false, false, false])
    #expect(subscription == nil)
    #expect(!isClosed)
  }

  @Test func `returns every subscription`() {
    var table = SlotTable()
    _ = table.connect(NamedSubscription("a"), to: table.open())
    _ = table.open()
    _ = table.connect(NamedSubscription("c"), to: table.open())
    var all: [String] = []
    table.removeAll { all.append("\($0)") }
    let liveCount = table.liveCount
    let isOpen = table.isOpen(0)

    #expect(all == ["a", "c"])
    #expect(liveCount == 0)
    #expect(!isOpen)
  }
}
