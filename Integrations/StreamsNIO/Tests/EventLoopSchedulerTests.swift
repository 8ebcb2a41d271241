import Dispatch
import NIOCore
import NIOEmbedded
import NIOPosix
import StreamSchedulers
import StreamTesting
import Streams
import StreamsNIO
import Synchronization
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct EventLoopSchedulerTests {
  @Test func `operators run in the time of an event loop`() {
    let loop = EmbeddedEventLoop()
    let letters = PassthroughSubject<String, Never>()
    var settled: [String] = []
    let cancellable = letters.debounce(for: .seconds(2), scheduler: loop.scheduler).sink(isolation: nil) {
      settled.append($0)
    }
    letters.send("a")
    loop.advanceTime(by: .milliseconds(1_999))
    #expect(settled == [])
    loop.advanceTime(by: .milliseconds(1))
    #expect(settled == ["a"])
    cancellable.cancel()
  }

  @Test func `work runs in order of its dates, never on the caller's stack`() {
    let loop = EmbeddedEventLoop()
    let scheduler = loop.scheduler
    var order: [Int] = []
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2))) { order.append(3) }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { order.append(2) }
    scheduler.schedule { order.append(1) }
    #expect(order == [])
    loop.advanceTime(by: .seconds(2))
    #expect(order == [1, 2, 3])
    #expect(scheduler.now == DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 2_000_000_001)))
  }

  @Test func `cancelled work doesn't run, and its closure is released`() {
    let loop = EmbeddedEventLoop()
    let scheduler = loop.scheduler
    var object: AnyObject? = Kept()
    weak let kept = object
    let work = scheduler.scheduleOnce(
      after: scheduler.now.advanced(by: .seconds(1)), tolerance: .zero, options: nil
    ) { [object] in
      Issue.record("Cancelled work ran with \(String(describing: object)).")
    }
    object = nil
    #expect(kept != nil)
    work.cancel()
    #expect(kept == nil)
    loop.advanceTime(by: .seconds(2))
  }

  @Test func `repeated work keeps its dates, skips those it has missed, and stops`() {
    let loop = EmbeddedEventLoop()
    let scheduler = loop.scheduler
    let start = scheduler.now
    var dates: [Int] = []
    let repetition = scheduler.schedule(
      after: start.advanced(by: .milliseconds(10)), interval: .milliseconds(10), tolerance: .zero, options: nil
    ) {
      dates.append(start.distance(to: scheduler.now).magnitude / 1_000_000)
    }
    loop.advanceTime(by: .milliseconds(35))
    #expect(dates == [10, 20, 30])
    repetition.cancel()
    loop.advanceTime(by: .milliseconds(100))
    #expect(dates == [10, 20, 30])
  }

  @Test func `a group waits for work, also if it is cancelled`() {
    let loop = EmbeddedEventLoop()
    let scheduler = loop.scheduler
    let group = DispatchGroup()
    let options = DispatchQueue.SchedulerOptions(group: group)
    scheduler.schedule(options: options) {}
    let work = scheduler.scheduleOnce(
      after: scheduler.now.advanced(by: .seconds(1)), tolerance: .zero, options: options
    ) {}
    #expect(group.wait(timeout: .now()) == .timedOut)
    loop.run()
    #expect(group.wait(timeout: .now()) == .timedOut)
    work.cancel()
    #expect(group.wait(timeout: .now()) == .success)
  }

  @Test func `dates in the far future and the past are possible`() {
    let loop = EmbeddedEventLoop()
    let scheduler = loop.scheduler
    var runs = 0
    let never = scheduler.scheduleOnce(
      after: scheduler.now.advanced(by: .nanoseconds(.max)), tolerance: .zero, options: nil
    ) { runs += 1 }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(-5))) { runs += 1 }
    let repetition = scheduler.schedule(
      after: scheduler.now, interval: .nanoseconds(.max), tolerance: .zero, options: nil
    ) { runs += 1 }
    loop.run()
    #expect(runs == 2)
    never.cancel()
    repetition.cancel()
  }

  @Test func `a running event loop delivers on its thread`() async {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let recorder = (1...1_000).publisher.receive(on: loop.scheduler)
      .map { ($0, loop.inEventLoop) }.record()
    let values = await recorder.next(1_000)
    #expect(values.map(\.0) == Array(1...1_000))
    let isElsewhere = values.contains { !$0.1 }
    #expect(!isElsewhere)
    await recorder.finished()
  }

  @Test func `code for dispatch queues takes an event loop`() async {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let scheduler: AnySchedulerOf<DispatchQueue> = loop.scheduler.eraseToAnyScheduler()
    let recorder = Just(1).delay(for: .milliseconds(1), scheduler: scheduler).record()
    #expect(await recorder.next() == 1)
  }
}

private final class Kept {}
