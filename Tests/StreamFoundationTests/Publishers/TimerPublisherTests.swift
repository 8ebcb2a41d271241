import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamTesting
import Testing

/// The run loop is that of the test's own thread, which runs it until a condition holds.
@Suite(.ownThread)
struct TimerPublisherTests {
  private let mode = RunLoop.Mode("mode of a test")

  private func timer(every interval: TimeInterval = 0.001) -> Timer.TimerPublisher {
    Timer.publish(every: interval, on: .current, in: mode)
  }

  private func runLoop(until condition: () -> Bool) {
    while !condition() {
      // Limits the time to the next check of the condition: a run loop does not return when a timer fires.
      guard RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.001)) else {
        Issue.record("there is nothing in the run loop")
        return
      }
    }
  }

  /// Indicates whether a timer waits in the run loop. Without one, running it returns at once.
  private var hasTimer: Bool { RunLoop.current.run(mode: mode, before: .distantPast) }

  @Test func `publishes dates one interval apart`() {
    var dates: [Date] = []
    let start = Date()
    let cancellable = timer(every: 0.002).autoconnect().sink { dates.append($0) }
    runLoop { dates.count >= 3 }
    for (index, date) in dates.enumerated() {
      #expect(date.timeIntervalSince(start) > 0.002 * Double(index + 1) - 0.001)
    }
    #expect(dates[2] <= Date())
    cancellable.cancel()
    #expect(!hasTimer)
  }

  @Test func `exposes its interval, tolerance, run loop, mode and options`() {
    let timer = Timer.publish(every: 1.5, tolerance: 0.5, on: .main, in: .common, options: .init())
    #expect(timer.interval == 1.5)
    #expect(timer.tolerance == 0.5)
    #expect(timer.runLoop === RunLoop.main)
    #expect(timer.mode == .common)
    #expect(timer.options != nil)
    #expect(Timer.TimerPublisher(interval: 1, runLoop: .main, mode: .default).tolerance == nil)
  }

  @Test(arguments: [TimeInterval.leastNonzeroMagnitude, 1e-12]) func `an interval shorter than a nanosecond ticks`(
    interval: TimeInterval
  ) {
    var ticks = 0
    let cancellable = timer(every: interval).autoconnect().sink { _ in ticks += 1 }
    runLoop { ticks >= 2 }
    cancellable.cancel()
  }

  @Test func `ticks only while it is connected, and only in its mode`() {
    let timer = timer()
    var ticks = 0
    let cancellable = timer.sink { _ in ticks += 1 }
    #expect(!hasTimer)
    let connection = timer.connect()
    let other = RunLoop.Mode("another mode")
    #expect(!RunLoop.current.run(mode: other, before: .distantPast))
    runLoop { ticks >= 2 }
    connection.cancel()
    #expect(!hasTimer)
    let before = ticks
    let again = timer.connect()
    runLoop { ticks >= before + 2 }
    again.cancel()
    #expect(!hasTimer)
    cancellable.cancel()
  }

  @Test func `each subscriber has its own demand, and one subscriber's cancellation does not affect the others`() {
    let timer = timer()
    var ticks = 0
    let all = timer.sink { _ in ticks += 1 }
    let some = timer.record(demand: .max(2))
    let connection = timer.connect()
    runLoop { ticks >= 4 }
    #expect(some.values.count == 2)
    some.request(.max(1))
    // There may have been more than four ticks before.
    let before = ticks
    runLoop { ticks >= before + 2 }
    #expect(some.values.count == 3)
    all.cancel()
    some.request(.max(1))
    runLoop { some.values.count == 4 }
    some.cancel()
    #expect(!hasTimer)
    connection.cancel()
  }

  @Test func `several connections share one timer`() {
    let timer = timer()
    var ticks = 0
    let cancellable = timer.sink { _ in ticks += 1 }
    let connections = [timer.connect(), timer.connect()]
    runLoop { ticks >= 1 }
    connections[0].cancel()
    let before = ticks
    runLoop { ticks > before }
    connections[1].cancel()
    #expect(!hasTimer)
    cancellable.cancel()
  }

  @Test func `a subscriber can cancel during a tick`() {
    let cancellable = Box<AnyCancellable?>(nil)
    var ticks = 0
    cancellable.value = timer().autoconnect().sink { _ in
      ticks += 1
      cancellable.value?.cancel()
    }
    runLoop { ticks >= 1 }
    #expect(!hasTimer)
    #expect(ticks == 1)
  }

  @Test func `is deallocated after all subscribers have cancelled`() {
    weak var weakTimer: Timer.TimerPublisher?
    weak var weakToken: Token?
    do {
      let token = Token()
      let timer = timer(every: 1000)
      (weakTimer, weakToken) = (timer, token)
      let cancellable = timer.sink { _ in token.touch() }
      _ = timer.connect()
      #expect(hasTimer)
      cancellable.cancel()
    }
    #expect(weakTimer == nil)
    #expect(weakToken == nil)
    #expect(!hasTimer)
  }

  @Test func `an interval of zero or less is reported and never ticks`() {
    for interval in [0, -1] as [TimeInterval] {
      let line = #line + 2 as UInt
      let (timer, issues) = IssueReporter.withCapture {
        Timer.publish(every: interval, on: .current, in: mode)
      }
      #expect(issues.count == 1)
      #expect(issues.first?.line == line)
      let cancellable = timer.autoconnect().sink { _ in }
      #expect(!hasTimer)
      cancellable.cancel()
    }
  }

  @Test func `a timer connected on one thread wakes a sleeping run loop on another`() async {
    let thread = LoopThread()
    let log = Log<Bool>()
    await thread.isAsleep()
    let cancellable = Timer.publish(every: 0.001, on: thread.loop, in: .default).autoconnect()
      .sink { _ in log.append(Thread.current === thread.thread) }
    #expect(await log.first(3) == [true, true, true])
    cancellable.cancel()
  }
}
