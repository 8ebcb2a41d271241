import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct TimerSequenceTests {
  private let clock = HandClock()

  @Test func `ticks are one interval apart, the first after one interval`() async {
    let start = clock.now
    var ticks = clock.timer(interval: .seconds(1)).makeAsyncIterator()
    clock.advance(by: .milliseconds(3500))
    var distances: [HandClock.SchedulerTimeType.Stride] = []
    for _ in 0..<3 { distances.append(start.distance(to: await ticks.next()!)) }
    #expect(distances == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `the timer starts with the iteration`() async {
    let timer = clock.timer(interval: .seconds(1))
    #expect(clock.pendingCount == 0)
    let iterator = timer.makeAsyncIterator()
    #expect(clock.pendingCount == 1)
    _ = iterator
  }

  @Test func `leaving the loop stops the timer`() async {
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) { break }
    }
    _ = await clock.armed.first(1)
    clock.advance(by: .seconds(1))
    await task.value
    #expect(clock.pendingCount == 0)
  }

  @Test func `cancelling the task ends the sequence and stops the timer`() async {
    let task = Task {
      var count = 0
      for await _ in clock.timer(interval: .seconds(1)) { count += 1 }
      return count
    }
    _ = await clock.armed.first(1)
    task.cancel()
    #expect(await task.value == 0)
    #expect(clock.pendingCount == 0)
  }

  @Test func `releasing the iterator stops the timer`() {
    do {
      let iterator = clock.timer(interval: .seconds(1)).makeAsyncIterator()
      _ = iterator
    }
    #expect(clock.pendingCount == 0)
  }

  @Test func `each iteration has its own timer`() async {
    let timer = clock.timer(interval: .seconds(1))
    var one: TimerSequence<HandClock>.Iterator? = timer.makeAsyncIterator()
    var other = timer.makeAsyncIterator()
    #expect(clock.pendingCount == 2)
    #expect(one != nil)
    one = nil
    #expect(clock.pendingCount == 1)
    clock.advance(by: .seconds(1))
    #expect(await other.next() != nil)
  }

  @Test func `an interval of zero or less is reported at the line that creates the timer, which never ticks`() async {
    for interval: HandClock.SchedulerTimeType.Stride in [.zero, .seconds(-1)] {
      let (timer, issues) = IssueReporter.withCapture { clock.timer(interval: interval) }
      #expect(issues.map(\.line) == [#line - 1])
      for await _ in timer { Issue.record("ticked") }
    }
    #expect(clock.armed.all.isEmpty)
  }

  @Test func `an immediate scheduler's timer ticks once`() async {
    var ticks = DispatchQueue.immediate.timer(interval: .seconds(1)).makeAsyncIterator()
    #expect(await ticks.next() != nil)
    let task = Task {
      var count = 0
      for await _ in DispatchQueue.immediate.timer(interval: .seconds(1)) {
        count += 1
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return count
    }
    #expect(await task.value == 1)
  }

  @Test func `a queue's timer ticks`() async {
    let queue = DispatchQueue.global()
    let start = queue.now
    var last = start
    for await tick in queue.timer(interval: .milliseconds(5)).prefix(3) {
      #expect(tick >= last)
      last = tick
    }
    #expect(start.distance(to: last) >= .milliseconds(15))
  }
}
