import Streams
import Testing

struct SlotSetTests {
  @Test func `holds the first slots`() {
    let set = SlotSet(first: 3)

    #expect((0..<7).filter { set.contains($0) } == [0, 1, 2])
  }

  @Test func `inserts and removes slots`() {
    var set = SlotSet()
    set.insert(4)
    set.insert(1)
    set.remove(4)

    #expect((0..<7).filter { set.contains($0) } == [1])
    #expect(!set.isEmpty)
  }

  @Test func `returns its slots in order`() {
    var set = SlotSet(first: 4)
    set.remove(2)
    var slots: [Int] = []
    while let slot = set.popFirst() { slots.append(slot) }

    #expect(slots == [0, 1, 3])
    #expect(set.isEmpty)
  }
}

struct FixedSourcesTests {
  private let engine = MergeEngine(SubscriberReceiver(Ignoring()), ElementLayout(Int.self), count: 1)

  @Test(arguments: [0, 1, 2, 4])
  func `holds a source's subscription from its connection until its end`(slot: Int) {
    var sources = FixedSources(5)
    let before = sources[slot]
    let subscription = NamedSubscription("a")
    let demand = sources.connected(subscription, to: slot, requesting: .max(3))
    let other = sources.connected(NamedSubscription("b"), to: slot, requesting: .max(3))
    let others = (0..<5).filter { $0 != slot }.compactMap { sources[$0] }
    let meanwhile = sources[slot]
    var (isNews, isNewsAgain) = (false, true)
    let released = engine.names {
      isNews = sources.ended(slot, &$0)
      isNewsAgain = sources.ended(slot, &$0)
    }
    let after = sources[slot]

    #expect(before == nil)
    #expect(demand == .max(3))
    #expect(other == nil)
    #expect(others.isEmpty)
    #expect(meanwhile === subscription)
    #expect(isNews && !isNewsAgain)
    #expect(after == nil)
    #expect(released == ["release a"])
  }

  @Test(arguments: [1, 2, 5])
  func `requests of every source and cancels every source, in order`(count: Int) {
    var sources = FixedSources(count)
    for slot in 0..<count {
      _ = sources.connected(NamedSubscription("\(slot)"), to: slot, requesting: .none)
    }
    let requested = engine.names { sources.request(.max(2), &$0) }
    let cancelled = engine.names { sources.cancel(&$0) }
    let left = engine.names { sources.request(.max(2), &$0) }
    let isNoneLive = sources.live.isEmpty

    #expect(requested == (0..<count).map { "request 2 from \($0)" })
    #expect(cancelled == (0..<count).map { "cancel \($0)" })
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
      _ = sources.connected(last, to: count - 1, requesting: .none)
    }

    #expect(subscription == nil)
  }
}
