import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

// On a thread of their own: timers tick a thousand times a second for as long as a test waits for a thread.
@Suite(.ownThread)
struct OperationQueueSchedulerTests {
  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }()

  @Test func `work runs in the order in which it was scheduled`() async {
    let log = Log<Int>()
    for number in 0..<100 { queue.schedule { log.append(number) } }
    #expect(await log.first(100) == Array(0..<100))
  }

  @Test func `work with a date runs on the queue and not before the date`() async {
    let log = Log<(date: Date, queue: ObjectIdentifier?)>()
    let date = queue.now.advanced(by: .milliseconds(20))
    queue.schedule(after: date) { log.append((Date(), OperationQueue.current.map(ObjectIdentifier.init))) }
    let run = await log.first(1)[0]
    // The wall clock and the clock that measures the wait may differ slightly.
    #expect(run.date.timeIntervalSince(date.date) > -0.01)
    #expect(run.queue == ObjectIdentifier(queue))
  }

  @Test(arguments: [Date.distantPast, Date(timeIntervalSince1970: 0)])
  func `work with a date in the past runs as soon as possible`(date: Date) async {
    let log = Log<Int>()
    queue.schedule(after: .init(date)) { log.append(1) }
    _ = await log.first(1)
  }

  @Test func `work in the distant future does not run`() async {
    let log = Log<String>()
    let never = queue.scheduleOnce(after: .init(.distantFuture), tolerance: .zero, options: nil) { log.append("never") }
    queue.schedule(after: queue.now.advanced(by: .milliseconds(10))) { log.append("now") }
    #expect(await log.first(1) == ["now"])
    never.cancel()
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

  @Test func `work pending on a suspended queue can be cancelled`() async {
    let log = Log<String>()
    queue.isSuspended = true
    let work = queue.scheduleOnce(after: queue.now, tolerance: .zero, options: nil) { log.append("cancelled") }
    await operationCount(of: queue, is: 1)
    work.cancel()
    queue.schedule { log.append("kept") }
    queue.isSuspended = false
    #expect(await log.first(1) == ["kept"])
  }

  @Test func `runs that become due while another is pending are dropped`() async {
    let log = Log<String>()
    queue.isSuspended = true
    let work = queue.schedule(after: queue.now, interval: .milliseconds(1)) { log.append("run") }
    await operationCount(of: queue, is: 1)
    let timer = Log<Int>()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.03) { timer.append(1) }
    _ = await timer.first(1)
    #expect(queue.operationCount == 1)
    queue.isSuspended = false
    _ = await log.first(3)
    work.cancel()
  }

  @Test func `work with a date is an operation from the moment of scheduling`() async {
    queue.schedule(after: queue.now.advanced(by: .seconds(100_000))) {}
    #expect(queue.operationCount == 1)
    let once = queue.scheduleOnce(after: queue.now.advanced(by: .seconds(100_000)), tolerance: .zero, options: nil) {}
    #expect(queue.operationCount == 2)
    let again = queue.schedule(after: queue.now.advanced(by: .seconds(100_000)), interval: .seconds(100_000)) {}
    #expect(queue.operationCount == 3)
    once.cancel()
    again.cancel()
    await operationCount(of: queue, is: 1)
    queue.cancelAllOperations()
    await operationCount(of: queue, is: 0)
  }

  @Test func `work that waits for its date does not block other work`() async {
    let log = Log<String>()
    let later = queue.scheduleOnce(after: queue.now.advanced(by: .seconds(100_000)), tolerance: .zero, options: nil) {
      log.append("later")
    }
    queue.schedule { log.append("now") }
    #expect(await log.first(1) == ["now"])
    later.cancel()
  }

  @Test func `cancelAllOperations cancels work with a date and releases it`() async {
    let log = Log<String>()
    var token: Token? = Token()
    weak let weakToken = token
    queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { [token] in
      token?.touch()
      log.append("cancelled")
    }
    token = nil
    #expect(weakToken != nil)
    queue.cancelAllOperations()
    #expect(weakToken == nil)
    await operationCount(of: queue, is: 0)
    queue.schedule(after: queue.now.advanced(by: .milliseconds(40))) { log.append("later") }
    #expect(await log.first(1) == ["later"])
  }

  @Test func `cancelAllOperations ends repeated work`() async {
    let log = Log<String>()
    var token: Token? = Token()
    weak let weakToken = token
    let work = queue.schedule(after: queue.now, interval: .milliseconds(1)) { [token] in
      token?.touch()
      log.append("run")
    }
    token = nil
    _ = await log.first(2)
    queue.cancelAllOperations()
    await operationCount(of: queue, is: 0)
    #expect(weakToken == nil)
    let count = log.all.count
    queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { log.append("later") }
    #expect(await log.first(count + 1).last == "later")
    work.cancel()
  }

  @Test func `repeated work that calls cancelAllOperations ends`() async {
    let log = Log<String>()
    let queue = queue
    let work = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
      queue.cancelAllOperations()
      log.append("run")
    }
    _ = await log.first(1)
    await operationCount(of: queue, is: 0)
    #expect(log.all == ["run"])
    work.cancel()
  }

  @Test func `repeated work is a single operation throughout`() async {
    let counts = Log<Int>()
    let queue = queue
    let work = queue.schedule(after: queue.now, interval: .milliseconds(1)) { counts.append(queue.operationCount) }
    #expect(await counts.first(3) == [1, 1, 1])
    work.cancel()
    await operationCount(of: queue, is: 0)
  }

  @Test func `runs of repeated work do not overlap, even on a concurrent queue`() async {
    let log = Log<String>()
    queue.maxConcurrentOperationCount = 4
    let work = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
      log.append("begin")
      let later = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { later.signal() }
      later.wait()
      log.append("end")
    }
    #expect(await log.first(6) == ["begin", "end", "begin", "end", "begin", "end"])
    work.cancel()
  }

  @Test func `work that becomes due while the queue is suspended runs when it resumes`() async {
    let log = Log<String>()
    queue.isSuspended = true
    queue.schedule(after: queue.now) { log.append("date") }
    let other = OperationQueue()
    other.schedule(after: other.now.advanced(by: .milliseconds(10))) { log.append("meanwhile") }
    #expect(await log.first(1) == ["meanwhile"])
    #expect(queue.operationCount == 1)
    queue.isSuspended = false
    #expect(await log.first(2) == ["meanwhile", "date"])
  }

  @Test func `a queue without references is released when its work has run or been cancelled`() async {
    let log = Log<Int>()
    weak var weakQueue: OperationQueue?
    var works: [any Cancellable] = []
    do {
      let queue = OperationQueue()
      weakQueue = queue
      queue.schedule(after: queue.now.advanced(by: .milliseconds(5))) { log.append(1) }
      works.append(queue.schedule(after: queue.now, interval: .seconds(100_000)) { log.append(2) })
      works.append(
        queue.scheduleOnce(after: queue.now.advanced(by: .seconds(100_000)), tolerance: .zero, options: nil) {})
    }
    #expect(Set(await log.first(2)) == [1, 2])
    for work in works { work.cancel() }
    let deadline = ContinuousClock.now + .seconds(30)
    while weakQueue != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(weakQueue == nil)
  }

  @Test func `repeated work can cancel itself`() async {
    let log = Log<Int>()
    let box = Box<(any Cancellable)?>(nil)
    queue.isSuspended = true
    box.value = queue.schedule(after: queue.now, interval: .milliseconds(1)) {
      log.append(1)
      box.value?.cancel()
    }
    queue.isSuspended = false
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

  private func operationCount(of queue: OperationQueue, is count: Int) async {
    let deadline = ContinuousClock.now + patience
    if count == 0 { wait(for: queue) }
    while queue.operationCount != count, ContinuousClock.now < deadline { await Task.yield() }
    #expect(queue.operationCount == count)
  }

  private func wait(for queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
}
