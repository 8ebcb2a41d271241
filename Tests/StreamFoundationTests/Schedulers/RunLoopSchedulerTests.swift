import Dispatch
import Foundation
import StreamAlgorithms
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite(.ownThread)
struct RunLoopSchedulerTests {
  private let thread = LoopThread()

  @Test func `work scheduled on another thread wakes a sleeping run loop and runs on its thread`() async {
    let log = Log<Bool>()
    await thread.isAsleep()
    thread.loop.schedule { log.append(Thread.current === thread.thread) }
    #expect(await log.first(1) == [true])
  }

  @Test func `work runs in the order in which it was scheduled`() async {
    let log = Log<Int>()
    for number in 0..<100 { thread.loop.schedule { log.append(number) } }
    #expect(await log.first(100) == Array(0..<100))
  }

  @Test func `work with a date runs on the run loop's thread and not before the date`() async {
    let log = Log<(date: Date, isOnThread: Bool)>()
    await thread.isAsleep()
    let date = thread.loop.now.advanced(by: .milliseconds(20))
    thread.loop.schedule(after: date) { log.append((Date(), Thread.current === thread.thread)) }
    let run = await log.first(1)[0]
    #expect(run.date.timeIntervalSince(date.date) > -0.01)
    #expect(run.isOnThread)
  }

  @Test func `work with a date in the past runs as soon as possible`() async {
    let log = Log<Int>()
    thread.loop.schedule(after: .init(.distantPast)) { log.append(1) }
    _ = await log.first(1)
  }

  @Test func `work cancelled before its date does not run and is released`() async {
    let log = Log<String>()
    var token: Token? = Token()
    weak let weakToken = token
    let now = thread.loop.now
    let work = thread.loop.scheduleOnce(after: now.advanced(by: .seconds(3600)), tolerance: .zero, options: nil) {
      [token] in
      token?.touch()
      log.append("cancelled")
    }
    token = nil
    #expect(weakToken != nil)
    work.cancel()
    #expect(weakToken == nil)
    work.cancel()
    thread.loop.schedule(after: now) { log.append("later") }
    #expect(await log.first(1) == ["later"])
  }

  @Test func `repeated work keeps to the multiples of its interval`() async {
    let log = Log<Date>()
    let start = thread.loop.now
    let work = thread.loop.schedule(after: start.advanced(by: .milliseconds(10)), interval: .milliseconds(10)) {
      log.append(Date())
    }
    let ticks = await log.first(20)
    work.cancel()
    for (index, tick) in ticks.enumerated() {
      #expect(tick.timeIntervalSince(start.date) > 0.01 * Double(index + 1) - 0.005)
    }
  }

  @Test func `repeated work can cancel itself`() async {
    let log = Log<Int>()
    let box = Box<(any Cancellable)?>(nil)
    thread.loop.schedule {
      box.value = RunLoop.current.schedule(after: RunLoop.current.now, interval: .milliseconds(1)) {
        log.append(1)
        box.value?.cancel()
      }
    }
    _ = await log.first(1)
    thread.loop.schedule(after: thread.loop.now.advanced(by: .milliseconds(30))) { log.append(2) }
    #expect(await log.first(2) == [1, 2])
  }

  @Test func `repeated work ends when its cancellable is released`() {
    LiveSchedulerRules.repeatedWorkEndsWhenItsCancellableIsReleased(on: thread.loop)
  }

  @Test func `an interval of zero is reported, and the work runs once`() async {
    await LiveSchedulerRules.intervalOfZeroIsReportedAndTheWorkRunsOnce(on: thread.loop)
  }
}
