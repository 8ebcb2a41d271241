import Testing

@testable import Streams

struct SlotSetTests {
  @Test func `holds the first slots`() {
    let set = SlotSet(first: 3)

    #expect((0..<7).filter { set.contains($0) } == [0, 1, 2])
  }

  @Test func `takes slots in and out`() {
    var set = SlotSet()
    set.insert(4)
    set.insert(1)
    set.remove(4)

    #expect((0..<7).filter { set.contains($0) } == [1])
    #expect(!set.isEmpty)
  }

  @Test func `gives its slots back in order`() {
    var set = SlotSet(first: 4)
    set.remove(2)
    var slots: [Int] = []
    while let slot = set.popFirst() { slots.append(slot) }

    #expect(slots == [0, 1, 3])
    #expect(set.isEmpty)
  }
}

struct FixedSourcesTests {
  @Test func `has the subscription of a source from when it has connected until it ends`() {
    var sources = FixedSources(2)
    #expect(sources[1] == nil)
    let subscription = NamedSubscription("b")
    let isKept = sources.connect(subscription, to: 1)
    #expect(isKept)
    #expect(sources[0] == nil)
    #expect(sources[1] === subscription)

    var released: SubscriptionObject?
    let isNews = sources.end(1, &released)
    #expect(isNews)
    #expect(sources[1] == nil)
    #expect(released === subscription)
  }
}

struct AlarmTableTests {
  private final class Timer: Cancellable {
    func cancel() {}
  }

  @Test func `numbers timers in the order in which they are armed`() {
    var table = AlarmTable()
    var numbers = [table.append(), table.append()]
    _ = table.remove(0)
    numbers.append(table.append())

    #expect(numbers == [0, 1, 2])
  }

  @Test func `keeps what disarms a timer until it has fired`() {
    var table = AlarmTable()
    let timer = Timer()
    let number = table.append()
    let isKept = table.set(timer, for: number)
    let first = table.remove(number)
    let second = table.remove(number)

    #expect(isKept)
    #expect(first.isNews)
    #expect(first.timer === timer)
    #expect(!second.isNews)
    #expect(second.timer == nil)
  }

  @Test func `refuses what disarms a timer that has fired already`() {
    var table = AlarmTable()
    let number = table.append()
    _ = table.append()
    _ = table.remove(number)
    let isKept = table.set(Timer(), for: number)

    #expect(!isKept)
  }

  @Test func `finds timers that fire in another order`() {
    var table = AlarmTable()
    let numbers = (0..<5).map { _ in table.append() }
    let news = [3, 0, 4, 1, 2].map { table.remove(numbers[$0]).isNews }
    let rest = table.popFirst()

    #expect(news == [true, true, true, true, true])
    #expect(rest == nil)
  }
}
