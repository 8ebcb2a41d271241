import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: test schedulers and clocks.
struct SchedulersMuseumTests {
  private let scheduler = DispatchQueue.test

  /// Runs two timers and other work that meet at one instant, and returns what ran.
  private func logOfMeetings(startsWithFirst: Bool) -> [String] {
    let (scheduler, lines) = (DispatchQueue.test, Box<[String]>([]))
    let b = Box<(any Cancellable)?>(nil)
    func start(_ name: String, _ interval: Int) -> any Cancellable {
      let date = scheduler.now.advanced(by: .seconds(interval))
      return scheduler.schedule(after: date, interval: .seconds(interval)) {
        lines.value.append("\(name)@\(scheduler.seconds)")
        if name == "A", scheduler.seconds == "8" { b.value?.cancel() }
      }
    }
    let a: any Cancellable
    if startsWithFirst {
      a = start("A", 1)
      b.value = start("B", 2)
    } else {
      b.value = start("B", 2)
      a = start("A", 1)
    }
    scheduler.at(4) {
      lines.value.append("once")
      scheduler.schedule { lines.value.append("added") }
    }
    scheduler.advance(by: 9)
    a.cancel()
    return lines.value
  }

  /// pointfreeco/swift-composable-architecture#94
  @Test func `work of one instant ran in a random order`() {
    let first = [
      "A@1", "A@2", "B@2", "A@3", "A@4", "B@4", "once", "added", "A@5", "A@6", "B@6", "A@7", "A@8", "A@9",
    ]
    let second = [
      "A@1", "B@2", "A@2", "A@3", "B@4", "A@4", "once", "added", "A@5", "B@6", "A@6", "A@7", "B@8", "A@8", "A@9",
    ]
    for _ in 0..<100 {
      #expect(logOfMeetings(startsWithFirst: true) == first)
      #expect(logOfMeetings(startsWithFirst: false) == second)
    }
    var order: [Int] = []
    let timers = (0..<2).map { number in
      scheduler.schedule(after: scheduler.now, interval: 1) { order.append(number) }
    }
    scheduler.advance(by: 1_000)
    #expect(order == (0...1_000).flatMap { _ in [0, 1] })
    for timer in timers { timer.cancel() }
  }

  /// ReactiveCocoa/ReactiveCocoa#2991, badoo/Reaktive#470, ReactiveX/RxJava#308
  @Test func `the time of an action was that of the end, and work that it added did not run`() {
    let scheduler = scheduler
    let times = Box<[String]>([])
    func step() {
      scheduler.schedule(after: scheduler.now.advanced(by: 10)) {
        times.value.append(scheduler.seconds)
        step()
      }
    }
    step()
    scheduler.advance(by: 50)
    #expect(times.value == ["10", "20", "30", "40", "50"])
    #expect(scheduler.seconds == "50")

    let other = DispatchQueue.test
    other.at(0) {}
    other.advance(by: 7)
    #expect(other.seconds == "7")
    var nested: [String] = []
    other.at(8) {
      other.advance(by: 5)
      nested.append(other.seconds)
    }
    other.at(10) { nested.append("inside@\(other.seconds)") }
    other.advance(by: 10)
    #expect(nested == ["inside@10", "13"])
    #expect(other.seconds == "17")
  }

  /// tcldr/Entwine commit cd90cfb, reactor/reactor-core#2060, ReactiveX/rxjs#4433, #579, #4042
  @Test func `repeating work ran once, the last was lost, or an interval of zero hung`() {
    let scheduler = scheduler
    let times = Box<[String]>([])
    let timer = Box<(any Cancellable)?>(nil)
    timer.value = scheduler.schedule(after: scheduler.now.advanced(by: 10), interval: 10) {
      times.value.append(scheduler.seconds)
      if times.value.count == 4 { timer.value?.cancel() }
    }
    scheduler.advance(by: 15)
    scheduler.advance(by: 5)
    #expect(times.value == ["10", "20"])
    scheduler.run()
    #expect(times.value == ["10", "20", "30", "40"])
    #expect(scheduler.pendingCount == 0)

    // A date in the past runs at the next advance, at the current time.
    scheduler.at(1) { times.value = [scheduler.seconds] }
    scheduler.advance()
    #expect(times.value == ["40"])

    // An endless timer and a limit: the call returns with a report, and the next one goes on without a gap.
    let capped = DispatchQueue.test
    capped.maximumActions = 5
    let ticks = Box<[String]>([])
    let endless = capped.schedule(after: capped.now.advanced(by: 1), interval: 1) { ticks.value.append(capped.seconds) }
    #expect(messages { capped.run() }.count == 1)
    #expect(ticks.value == ["1", "2", "3", "4", "5"])
    #expect(messages { capped.run() }.count == 1)
    #expect(ticks.value == (1...10).map(String.init))
    endless.cancel()

    // Chosen here: an interval of zero is reported and runs once.
    let count = Box(0)
    let reports = messages {
      let cancellable = scheduler.schedule(after: scheduler.now, interval: 0) { count.value += 1 }
      scheduler.advance(by: 1)
      cancellable.cancel()
    }
    #expect(reports.count == 1)
    #expect(count.value == 1)
  }

  /// pointfreeco/swift-clocks#23, #22, #26; element-hq/element-x-ios#6022
  ///
  /// Chosen here: a sleep until now, or until a deadline that has passed, does not wait.
  @Test @MainActor func `a sleep until now never returned`() {
    let (scheduler, lines) = (scheduler, Journal())
    scheduler.withVirtualWorld {
      let clock = scheduler.clock
      let start = clock.now
      for (name, offset) in [("now", Duration.zero), ("past", .seconds(-1)), ("later", .seconds(1))] {
        Task {
          do {
            try await clock.sleep(until: start.advanced(by: offset), tolerance: nil)
            lines.note(name)
          } catch {
            lines.note("\(name) cancelled")
          }
        }
      }
      scheduler.advance()
      #expect(lines.all.sorted() == ["now", "past"])
      scheduler.advance(by: 1)
      #expect(lines.all.last == "later")

      for isWaiting in [true, false] {
        let task = Task {
          do { try await clock.sleep(until: start.advanced(by: .seconds(100)), tolerance: nil) } catch {
            lines.note("cancelled \(isWaiting)")
          }
        }
        if isWaiting { scheduler.advance() }
        task.cancel()
        scheduler.advance()
        #expect(lines.all.last == "cancelled \(isWaiting)")
      }
    }
    #expect(scheduler.pendingCount == 0)
  }

  /// pointfreeco/combine-schedulers#50, #57
  @Test func `the time of a new scheduler jumped, because zero means now`() {
    let scheduler = scheduler
    let start = scheduler.now
    scheduler.at(0) {}
    scheduler.advance(by: 0)
    #expect(scheduler.now == start)
    #expect(start.distance(to: DispatchQueue.test.now) == 0)
    scheduler.advance(by: .nanoseconds(1))
    #expect(start.distance(to: scheduler.now) == .nanoseconds(1))
    for _ in 0..<10 { scheduler.advance(by: .milliseconds(100)) }
    #expect(start.distance(to: scheduler.now) == .nanoseconds(1_000_000_001))
  }
}
