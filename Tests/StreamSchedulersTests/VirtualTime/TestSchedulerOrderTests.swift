import StreamSchedulers
import Streams
import Testing

struct TestSchedulerOrderTests {
  let timers = Timers()
  let scheduler = VirtualScheduler()

  @Test func `actions run in the order of their dates`() {
    var ran: [Int] = []
    for date in [5, 1, 4, 2, 3] { scheduler.after(.init(date)) { ran.append(date) } }
    scheduler.advance(by: 5)
    #expect(ran == [1, 2, 3, 4, 5])
  }

  @Test func `actions with equal dates run in the order in which they were scheduled`() {
    var ran: [Int] = []
    for number in 0..<100 { scheduler.after(7) { ran.append(number) } }
    scheduler.advance(by: 7)
    #expect(ran == Array(0..<100))
  }

  @Test func `actions with random dates run by date, then in the order in which they were scheduled`() {
    var generator = Generator(state: 1)
    var expected: [(date: Int, number: Int)] = []
    var ran: [Int] = []
    for number in 0..<2000 {
      let date = Int.random(in: 0..<200, using: &generator)
      expected.append((date, number))
      scheduler.after(.init(date)) { ran.append(number) }
    }
    scheduler.run()
    #expect(ran == expected.sorted { $0 < $1 }.map(\.number))
  }

  @Test func `an older timer runs before a younger one at every date that they share`() {
    var ran = ""
    let a = scheduler.schedule(after: 1, interval: 1) { ran += "A" }
    let b = scheduler.schedule(after: 2, interval: 2) { ran += "B" }
    scheduler.advance(by: 2)
    #expect(ran == "AAB")
    a.cancel()
    b.cancel()
  }

  @Test func `all ticks of a timer keep the timer's place in the order`() {
    var ran = ""
    timers.next = scheduler.schedule(after: scheduler.now, interval: 2) { ran += "A" }
    timers.next = scheduler.schedule(after: scheduler.now, interval: 1) { ran += "B" }
    scheduler.advance()
    #expect(ran == "AB")
    ran = ""
    scheduler.advance(by: 2)
    #expect(ran == "BAB")
  }

  @Test func `a timer runs before later work of the same date, even if the tick was armed afterward`() {
    var ran: [String] = []
    timers.next = scheduler.schedule(after: 1, interval: 1) { ran.append("tick") }
    scheduler.after(2) { ran.append("once") }
    scheduler.advance(by: 2)
    #expect(ran == ["tick", "tick", "once"])
  }

  @Test func `work that an action schedules for now runs after actions that are already due`() {
    var ran: [String] = []
    scheduler.schedule {
      ran.append("a")
      scheduler.schedule { ran.append("a's") }
    }
    scheduler.schedule { ran.append("b") }
    scheduler.advance()
    #expect(ran == ["a", "b", "a's"])
  }

  @Test func `no action runs before time advances`() {
    var ran = false
    scheduler.schedule { ran = true }
    timers.next = scheduler.schedule(after: 0, interval: 1) { ran = true }
    #expect(!ran)
    scheduler.advance()
    #expect(ran)
  }

  @Test func `removing cancelled actions preserves the order`() {
    var ran: [Int] = []
    let armed = (0..<1000).map { number in
      scheduler.once(.init(number * 7919 % 101)) { ran.append(number) }
    }
    for number in 0..<1000 where number % 7 != 0 { armed[number].cancel() }
    scheduler.after(50) { ran.append(1000) }
    let kept = (0...1000).filter { $0 % 7 == 0 || $0 == 1000 }
    func date(_ number: Int) -> Int { number == 1000 ? 50 : number * 7919 % 101 }
    scheduler.run()
    #expect(ran == kept.sorted { (date($0), $0) < (date($1), $1) })
  }
}

private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
