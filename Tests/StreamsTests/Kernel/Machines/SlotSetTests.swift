import Testing

@testable import Streams

struct SlotSetTests {
  @Test func `holds the first slots`() {
    let set = FixedSources.SlotSet(first: 3)

    #expect((0..<7).filter { set.contains(OldMachine.Slot($0)) } == [0, 1, 2])
  }

  @Test func `inserts and removes slots`() {
    var set = FixedSources.SlotSet()
    set.insert(4)
    set.insert(1)
    set.remove(4)

    #expect((0..<7).filter { set.contains(OldMachine.Slot($0)) } == [1])
    #expect(!set.isEmpty)
  }

  @Test func `returns its slots in order`() {
    var set = FixedSources.SlotSet(first: 4)
    set.remove(2)
    var slots: [OldMachine.Slot] = []
    while let slot = set.popFirst() { slots.append(slot) }

    #expect(slots == [0, 1, 3])
    #expect(set.isEmpty)
  }
}

struct FixedSourcesTests {
  @Test(arguments: [0, 1, 2, 4])
  func `holds a source's subscription from its connection until its end`(number: Int) {
    let slot = OldMachine.Slot(number)
    var sources = FixedSources(5)
    let before = sources[slot]
    let subscription = NamedSubscription("a")
    let isKept = sources.connect(subscription, to: slot)
    let isKeptAgain = sources.connect(NamedSubscription("b"), to: slot)
    let others = (0..<5).filter { $0 != number }.compactMap { sources[OldMachine.Slot($0)] }
    let meanwhile = sources[slot]
    var released: SubscriptionObject?
    let isNews = sources.end(slot, &released)
    let isNewsAgain = sources.end(slot, &released)
    let after = sources[slot]

    #expect(before == nil)
    #expect(isKept)
    #expect(!isKeptAgain)
    #expect(others.isEmpty)
    #expect(meanwhile === subscription)
    #expect(isNews)
    #expect(!isNewsAgain)
    #expect(after == nil)
    #expect(released === subscription)
  }

  @Test(arguments: [1, 2, 5])
  func `returns every subscription in order, and marks every source as ended`(count: Int) {
    var sources = FixedSources(count)
    for slot in 0..<count { _ = sources.connect(NamedSubscription("\(slot)"), to: OldMachine.Slot(slot)) }
    var (present, taken, left): ([String], [String], [String]) = ([], [], [])
    sources.forEach { present.append("\($0)") }
    sources.takeAll { taken.append("\($0)") }
    sources.forEach { left.append("\($0)") }
    let isNoneLive = sources.live.isEmpty

    #expect(present == (0..<count).map { "\($0)" })
    #expect(taken == present)
    #expect(left.isEmpty)
    #expect(isNoneLive)
  }

  @Test(arguments: [2, 3])
  func `releases its subscriptions`(count: Int) {
    weak var subscription: NamedSubscription?
    do {
      var sources = FixedSources(count)
      let last = NamedSubscription("a")
      subscription = last
      _ = sources.connect(last, to: OldMachine.Slot(count - 1))
    }

    #expect(subscription == nil)
  }
}
