import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

@Suite(.ownThread)
struct DispatchQueueSchedulerTests {
  private let queue = DispatchQueue(label: "DispatchQueueSchedulerTests")

  @Test func `work runs in the order in which it was scheduled`() async {
    let log = Log<Int>()
    for number in 0..<100 { queue.schedule { log.append(number) } }
    #expect(await log.first(100) == Array(0..<100))
  }

  @Test func `work with a date does not run before it`() async {
    let log = Log<DispatchQueue.SchedulerTimeType>()
    let date = queue.now.advanced(by: .milliseconds(20))
    queue.schedule(after: date) { log.append(queue.now) }
    #expect(await log.first(1)[0] >= date)
  }

  @Test func `work with an earlier date runs first`() async {
    var log = Log<String>()
    var late = queue.now
    repeat {
      // On a busy machine, the late date may pass before the early one is scheduled: then the test tries again.
      log = Log()
      late = queue.now.advanced(by: .milliseconds(300))
      queue.schedule(after: late) { [log] in log.append("late") }
      queue.schedule(after: late.advanced(by: .milliseconds(-290))) { [log] in log.append("early") }
    } while queue.now >= late
    #expect(await log.first(2) == ["early", "late"])
  }

  @Test(arguments: [-1_000_000_000, Int.min, 0])
  func `work with a date in the past runs as soon as possible`(nanoseconds: Int) async {
    let log = Log<Int>()
    queue.schedule(after: queue.now.advanced(by: .nanoseconds(nanoseconds))) { log.append(1) }
    _ = queue.scheduleOnce(
      after: queue.now.advanced(by: .nanoseconds(nanoseconds)), tolerance: .zero, options: nil
    ) { log.append(1) }
    _ = await log.first(2)
  }

  @Test func `work in the distant future does not run and can be cancelled`() async {
    let log = Log<String>()
    let future = queue.now.advanced(by: .nanoseconds(.max))
    let never = queue.scheduleOnce(after: future, tolerance: .zero, options: nil) { log.append("never") }
    queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { log.append("now") }
    #expect(await log.first(1) == ["now"])
    never.cancel()
  }

  @Test func `an invalid tolerance is treated as zero`() async {
    let log = Log<Int>()
    queue.schedule(after: queue.now, tolerance: .seconds(-5), options: nil) { log.append(1) }
    _ = await log.first(1)
  }

  @Test func `work cancelled before its date does not run and is released`() async {
    let log = Log<String>()
    var token: Token? = Token()
    weak let weakToken = token
    let now = queue.now
    let work = queue.scheduleOnce(after: now.advanced(by: .seconds(3600)), tolerance: .zero, options: nil) {
      [token] in
      token?.touch()
      log.append("cancelled")
    }
    token = nil
    #expect(weakToken != nil)
    work.cancel()
    #expect(weakToken == nil)
    work.cancel()
    queue.schedule(after: now) { log.append("later") }
    #expect(await log.first(1) == ["later"])
  }

  @Test func `work that has run is released while its cancellable is retained`() async {
    let log = Log<Int>()
    var token: Token? = Token()
    weak let weakToken = token
    let work = queue.scheduleOnce(after: queue.now, tolerance: .zero, options: nil) { [token] in
      token?.touch()
      log.append(1)
    }
    token = nil
    _ = await log.first(1)
    queue.sync {}
    #expect(weakToken == nil)
    work.cancel()
  }

  @Test func `completed and cancelled work leaves no timer`() async {
    weak var once: DispatchTimer?
    weak var repeated: DispatchTimer?
    let log = Log<Int>()
    do {
      let options: DispatchQueue.SchedulerOptions? = nil
      let one = DispatchTimer(on: queue, at: .now(), every: nil, tolerance: 0, options: options) { log.append(1) }
      let many = DispatchTimer(on: queue, at: .now(), every: 1_000_000, tolerance: 0, options: options) {
        log.append(1)
      }
      (once, repeated) = (one, many)
      _ = await log.first(3)
      many.cancel()
    }
    let deadline = ContinuousClock.now + patience
    while once != nil || repeated != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(once == nil)
    #expect(repeated == nil)
  }

  @Test func `repeated work keeps to the multiples of its interval`() async {
    let log = Log<DispatchQueue.SchedulerTimeType>()
    let start = queue.now
    let interval = DispatchQueue.SchedulerTimeType.Stride.milliseconds(10)
    let work = queue.schedule(after: start.advanced(by: interval), interval: interval) { log.append(queue.now) }
    let ticks = await log.first(20)
    work.cancel()
    // However late the previous run was, a run never occurs before its own multiple.
    for (index, tick) in ticks.enumerated() {
      #expect(tick >= start.advanced(by: .milliseconds(10 * (index + 1))))
    }
  }

  @Test func `repeated work can cancel itself`() async {
    let log = Log<Int>()
    let box = Box<(any Cancellable)?>(nil)
    queue.sync {
      box.value = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
        log.append(1)
        box.value?.cancel()
        box.value?.cancel()
      }
    }
    _ = await log.first(1)
    queue.schedule(after: queue.now.advanced(by: .milliseconds(30))) { log.append(2) }
    #expect(await log.first(2) == [1, 2])
  }

  @Test func `repeated work ends when its cancellable is released`() {
    LiveSchedulerRules.repeatedWorkEndsWhenItsCancellableIsReleased(on: queue)
  }

  @Test func `an interval of zero is reported, and the work runs once`() async {
    await LiveSchedulerRules.intervalOfZeroIsReportedAndTheWorkRunsOnce(on: queue)
  }

  @Test func `the dispatch group in the options waits for the work`() async {
    let group = DispatchGroup()
    let log = Log<String>()
    let options = DispatchQueue.SchedulerOptions(group: group)
    let now = queue.now
    queue.schedule(options: options) { log.append("at once") }
    queue.schedule(after: now.advanced(by: .milliseconds(10)), tolerance: .zero, options: options) {
      log.append("later")
    }
    let cancelled = queue.scheduleOnce(after: now.advanced(by: .seconds(1000)), tolerance: .zero, options: options) {}
    cancelled.cancel()
    cancelled.cancel()
    group.notify(queue: queue) { log.append("group") }
    #expect(await log.first(3) == ["at once", "later", "group"])
  }

  @Test func `a barrier with a date waits for other work on a concurrent queue`() async {
    let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let log = Log<String>()
    let mayGoOn = DispatchSemaphore(value: 0)
    concurrent.schedule {
      log.append("started")
      mayGoOn.wait()
      log.append("other work")
    }
    _ = await log.first(1)
    concurrent.schedule(after: concurrent.now, tolerance: .zero, options: .init(flags: .barrier)) {
      log.append("barrier")
    }
    // A barrier that did not wait would run before this, and one that is late runs after it anyway.
    queue.schedule(after: queue.now.advanced(by: .milliseconds(60))) { mayGoOn.signal() }
    #expect(await log.first(3) == ["started", "other work", "barrier"])
  }

  @Test func `scheduling and cancellation from many threads are safe`() async {
    let log = Log<Int>()
    DispatchQueue.concurrentPerform(iterations: 500) { number in
      let work = queue.scheduleOnce(after: queue.now, tolerance: .zero, options: nil) { log.append(number) }
      if number.isMultiple(of: 2) { work.cancel() }
    }
    _ = await log.first(250)
  }
}
