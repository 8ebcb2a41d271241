import Streams
import Testing

struct SourceTableTests {
  private let engine = MergeEngine(SubscriberReceiver(Ignoring()), ElementLayout(Int.self), count: 1)

  private func close(_ slot: Int, in table: inout SourceTable) -> (isFree: Bool, names: [String]) {
    var isFree = false
    let names = engine.names { isFree = table.close(slot, &$0) }
    return (isFree, names)
  }

  @Test func `numbers the first slots from 1`() {
    var table = SourceTable()
    let slots = [table.open(), table.open(), table.open()]
    let liveCount = table.liveCount

    #expect(slots == [1, 2, 3])
    #expect(liveCount == 3)
  }

  @Test func `can start with the first slots open`() {
    var table = SourceTable(count: 3)
    let areOpen = (0...4).map { table.isOpen($0) }
    let liveCount = table.liveCount
    let next = table.open()

    #expect(areOpen == [false, true, true, true, false])
    #expect(liveCount == 3)
    #expect(next == 4)
  }

  @Test func `keeps one subscription for each open slot`() {
    var table = SourceTable()
    let slot = table.open()
    let first = table.connected(NamedSubscription("a"), to: slot, requesting: .max(3))
    let second = table.connected(NamedSubscription("b"), to: slot, requesting: .max(3))
    let unopened = table.connected(NamedSubscription("c"), to: slot + 1, requesting: .max(3))
    let name = table.subscription(of: slot).map { "\($0)" }

    #expect(first == .max(3))
    #expect(second == nil)
    #expect(unopened == nil)
    #expect(name == "a")
  }

  @Test func `closes a slot once, and releases its subscription without the lock`() {
    var table = SourceTable()
    let slot = table.open()
    _ = table.connected(NamedSubscription("a"), to: slot, requesting: .none)
    let (first, second) = (close(slot, in: &table), close(slot, in: &table))
    let late = table.connected(NamedSubscription("b"), to: slot, requesting: .none)
    let liveCount = table.liveCount

    #expect(first.isFree)
    #expect(first.names == ["release a"])
    #expect(!second.isFree)
    #expect(second.names.isEmpty)
    #expect(late == nil)
    #expect(liveCount == 0)
  }

  @Test func `reuses a place under another number`() {
    var table = SourceTable()
    let first = table.open()
    _ = close(first, in: &table)
    let second = table.open()
    let areOpen = [table.isOpen(first), table.isOpen(second)]
    let liveCount = table.liveCount

    #expect(first != second)
    #expect(areOpen == [false, true])
    #expect(liveCount == 1)
  }

  @Test func `reuses every free place before it creates another`() {
    var table = SourceTable(count: 4)
    for slot in [3, 1, 4] { _ = close(slot, in: &table) }
    let slots = (0..<4).map { _ in table.open() }
    let areOpen = ([2] + slots).map { table.isOpen($0) }
    let liveCount = table.liveCount

    #expect(slots.map { $0 & 0xff } == [4, 1, 3, 5])
    #expect(areOpen == [true, true, true, true, true])
    #expect(liveCount == 5)
  }

  @Test func `frees a place when its source has ended and none of its elements waits`() {
    var table = SourceTable()
    let first = table.open()
    table.addWaiting(first)
    table.addWaiting(first)
    let whileOpen = table.removeWaiting(first)
    let byEnd = close(first, in: &table).isFree
    let byElement = table.removeWaiting(first)
    let byNothing = table.removeWaiting(first)
    let second = table.open()
    table.addWaiting(second)
    let ofFormer = table.removeWaiting(first)
    _ = close(second, in: &table)
    let ofSecond = table.removeWaiting(second)

    #expect([whileOpen, byEnd, byElement, byNothing, ofFormer, ofSecond] == [false, false, true, false, false, true])
  }

  @Test func `treats unopened slots as closed`() {
    var table = SourceTable(count: 1)
    _ = close(1, in: &table)
    let areOpen = [0, 1, 2, -1, -2, 1 << 32, 1 << 32 + 1].map { table.isOpen($0) }
    let subscription = table.subscription(of: 5)
    let isFree = close(-1, in: &table).isFree

    #expect(!areOpen.contains(true))
    #expect(subscription == nil)
    #expect(!isFree)
  }

  @Test func `requests of and cancels every source`() {
    var table = SourceTable()
    _ = table.connected(NamedSubscription("a"), to: table.open(), requesting: .none)
    _ = table.open()
    _ = table.connected(NamedSubscription("c"), to: table.open(), requesting: .none)
    let requests = engine.names { table.request(.max(2), &$0) }
    let cancellations = engine.names { table.cancel(&$0) }
    let liveCount = table.liveCount
    let isOpen = table.isOpen(1)

    #expect(requests == ["request 2 from a", "request 2 from c"])
    #expect(cancellations == ["cancel a", "cancel c"])
    #expect(liveCount == 0)
    #expect(!isOpen)
  }
}
