import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct ScriptedPublisherTests {
  private let scheduler = DispatchQueue.test

  // MARK: Hot

  @Test func `a hot publisher sends to its current subscribers`() {
    let hot = scheduler.hot(.next(at: 1, "a"), .next(at: 3, "b"), .completed(at: 5))
    let early = scheduler.record(hot)
    scheduler.advance(by: 2)
    let late = scheduler.record(hot)
    scheduler.run()
    #expect(early.events == hot.events)
    #expect(late.events == [.next(at: 3, "b"), .completed(at: 5)])
  }

  @Test func `events of a hot publisher come before or after the timers of their instant`() {
    let debounced = scheduler.hot("a-b").debounce(for: .milliseconds(2), scheduler: scheduler)
    scheduler.expect(debounced, "----b")
    scheduler.hotEventsComeFirst = false
    let other = scheduler.hot(.next(at: scheduler.elapsed, "a"), .next(at: scheduler.elapsed + .milliseconds(2), "b"))
    scheduler.expect(other.debounce(for: .milliseconds(2), scheduler: scheduler), "--a-b")
    // Those of one instant keep their order.
    scheduler.expect(scheduler.hot("-(abc|)"), "-(abc|)")
  }

  @Test func `a hot publisher records its subscriptions`() {
    let hot = scheduler.hot("---|")
    let one = scheduler.record(hot, demand: .max(1))
    scheduler.advance(by: .milliseconds(1))
    let other = scheduler.record(hot)
    scheduler.advance(by: .milliseconds(1))
    one.cancel()
    #expect(hot.subscriptions == [.cancelled(0, .milliseconds(2)), .live(.milliseconds(1))])
    scheduler.run()
    #expect(hot.subscriptions[1] == .completed(.milliseconds(1), .milliseconds(3)))
    #expect(
      hot.subscriptions.map(\.requests) == [[.request(at: 0, .max(1))], [.request(at: .milliseconds(1), .unlimited)]])
    #expect(hot.subscriptions.map(\.description) == ["0 s to 2 ms, cancelled", "1 ms to 3 ms, completed"])
    withExtendedLifetime(other) {}
  }

  @Test func `a hot publisher drops values for a subscriber without demand`() {
    let recorder = scheduler.record(scheduler.hot("abcd|"), demand: "1-1")
    scheduler.run()
    recorder.expect("a--d|")
  }

  @Test func `events in a hot publisher's past are not delivered, except the completion`() {
    let values = scheduler.record(scheduler.hot("a-^-b"))
    let ended = scheduler.record(scheduler.hot("a|^-"))
    scheduler.run()
    #expect(values.values == ["b"])
    #expect(ended.events == [.completed(at: 0)])
  }

  @Test func `events at equal times keep their order in an unsorted list`() {
    let hot = scheduler.hot(.completed(at: 5), .next(at: 2, "b"), .next(at: 1, "a"), .next(at: 2, "c"))
    let recorder = scheduler.record(hot)
    scheduler.run()
    #expect(recorder.values == ["a", "b", "c"])
  }

  @Test func `a hot publisher's events precede work scheduled later for the same time`() {
    var log: [String] = []
    let hot = scheduler.hot("-a")
    let cancellable = hot.sink { log.append($0) }
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(1))) { log.append("armed") }
    scheduler.run()
    #expect(log == ["a", "armed"])
    cancellable.cancel()
  }

  // MARK: Cold

  @Test func `a cold publisher starts from the beginning for each subscriber`() {
    let cold = scheduler.cold(.next(at: 1, "a"), .completed(at: 2))
    let one = scheduler.record(cold)
    scheduler.advance(by: 10)
    let other = scheduler.record(cold)
    scheduler.run()
    #expect(one.events == [.next(at: 1, "a"), .completed(at: 2)])
    #expect(other.events == [.next(at: 11, "a"), .completed(at: 12)])
    #expect(cold.subscriptions == [.completed(0, 2), .completed(10, 12)])
  }

  @Test func `a cold publisher buffers values until they are requested`() {
    let recorder = scheduler.record(scheduler.cold("abc|"), demand: "1 10ms 1 10ms *")
    scheduler.run()
    recorder.expect("a 10ms b 10ms (c|)")
  }

  @Test func `cancellation removes a cold publisher's work from the scheduler`() {
    let cold = scheduler.cold("---a---b|")
    let recorder = scheduler.record(cold)
    scheduler.advance(by: .milliseconds(1))
    #expect(scheduler.pendingCount == 3)
    recorder.cancel()
    scheduler.assertIdle()
    #expect(cold.subscriptions == [.cancelled(0, .milliseconds(1))])
  }

  @Test func `a cold publisher fails for each subscriber`() {
    let cold = scheduler.cold("-#", error: TestFailure())
    scheduler.expect(cold.retry(2).map { "\($0)" }, "---#", error: TestFailure())
    #expect(cold.subscriptions.count == 3)
  }

  // MARK: Start

  @Test func `start creates, subscribes and cancels at given times`() {
    var created: DispatchQueue.SchedulerTimeType.Stride?
    let hot = scheduler.hot(.next(at: 150, 1), .next(at: 210, 2), .next(at: 999, 3), .next(at: 1001, 4))
    let recorder = scheduler.start {
      created = scheduler.elapsed
      return hot.map { $0 * 10 }
    }
    #expect(created == 100)
    #expect(recorder.events == [.next(at: 210, 20), .next(at: 999, 30)])
    #expect(hot.subscriptions == [.cancelled(200, 1000)])
    #expect(scheduler.elapsed == 1000)
    #expect(scheduler.pendingCount == 1)
  }

  @Test func `start accepts other times and a demand`() {
    let recorder = scheduler.start(created: 1, subscribed: 2, cancelled: 4, demand: .max(2)) {
      scheduler.timerPublisher(every: 1).autoconnect().map { _ in "tick" }
    }
    #expect(
      recorder.history == [
        .subscription(at: 2), .next(at: 3, "tick"), .next(at: 4, "tick"), .cancellation(at: 4),
      ] || recorder.history == [.subscription(at: 2), .next(at: 3, "tick"), .cancellation(at: 4)])
    scheduler.assertIdle()
  }

  @Test func `start reports times in the past`() {
    scheduler.advance(by: 150)
    let (recorder, issues) = IssueReporter.withCapture { scheduler.start { Just(1) } }
    #expect(
      issues.map(\.message) == [
        "The times 100 s, 200 s and 1000 s aren't in order, or they're earlier than the current time, 150 s."
      ])
    #expect(recorder.events == [.next(at: 200, 1), .completed(at: 200)])
  }

  @Test func `subscriptions are compared with diagrams`() {
    let hot = scheduler.hot("----------|")
    scheduler.expect(hot, "------", subscription: "--^---!")
    let recorder = scheduler.record(hot)
    scheduler.run()
    scheduler.expect(hot.subscriptions, "--^---!", "------^---!")
    let line = #line + 1 as UInt
    let (_, issues) = IssueReporter.withCapture { scheduler.expect(hot.subscriptions, "--^--!") }
    #expect(
      issues.map(\.message) == [
        """
        The times of the subscriptions differ from the expected times.

          expected  --^--!
          actual    --^---!
                         ^^

          expected  none
          actual    ------^---!
        """
      ])
    #expect(issues.first?.line == line)
    withExtendedLifetime(recorder) {}
  }
}
