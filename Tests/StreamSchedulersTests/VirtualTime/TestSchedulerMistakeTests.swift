import StreamSchedulers
import Streams
import Testing

struct TestSchedulerMistakeTests {
  let timers = Timers()
  let scheduler = VirtualScheduler()

  @Test func `a negative distance is reported and changes nothing`() {
    scheduler.advance(to: 5)
    var ran = false
    scheduler.schedule { ran = true }
    let reported = messages { scheduler.advance(by: -1) }
    #expect(reported == ["Time cannot go back: advance(by: -1 ns) has no effect, and the time stays 5 ns."])
    #expect(!ran)
    #expect(scheduler.now == 5)
  }

  @Test func `a target in the past is reported and changes nothing`() {
    scheduler.advance(to: 5)
    var ran = false
    scheduler.schedule { ran = true }
    let reported = messages { scheduler.advance(to: 4) }
    #expect(reported == ["Time cannot go back: advance(to: 4 ns) has no effect, and the time stays 5 ns."])
    #expect(!ran)
    #expect(scheduler.now == 5)
  }

  @Test(arguments: [0, -1]) func `a timer without a positive interval is reported and runs once`(interval: Int) {
    var seen: [VirtualTimeType] = []
    let reported = messages {
      timers.next = scheduler.schedule(after: 2, interval: .init(interval)) { seen.append(scheduler.now) }
    }
    let text = interval == 0 ? "0 s" : "-1 ns"
    #expect(reported == ["An action that repeats every \(text) would run forever at one instant, so it runs once."])
    scheduler.run()
    #expect(seen == [2])
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `a timer without a positive interval can be cancelled before it runs`() {
    var ran = false
    _ = withIssueCapture { scheduler.schedule(after: 2, interval: 0) { ran = true }.cancel() }
    scheduler.run()
    #expect(!ran)
  }

  @Test func `a mistake is reported at the line of the call`() throws {
    scheduler.advance(to: 5)
    let line: UInt = #line
    let issues = withIssueCapture {
      scheduler.advance(by: -1)
      scheduler.advance(to: 4)
      timers.next = scheduler.schedule(after: 5, interval: 0) {}
      timers.next = scheduler.schedule(after: 5, interval: 0, tolerance: 1) {}
      timers.next = scheduler.schedule(after: 5, interval: 0, tolerance: 1, options: nil) {}
      scheduler.assertIdle()
    }.issues
    #expect(issues.map { Int($0.line) - Int(line) } == [2, 3, 4, 5, 6, 7])
    #expect(issues.allSatisfy { $0.fileID == #fileID && $0.filePath == #filePath })
    #expect(issues.allSatisfy { $0.column > 1 })
  }

  @Test func `a mistake in generic code is reported at the line that created the scheduler`() throws {
    func arm(_ scheduler: some Scheduler<VirtualTimeType>) {
      timers.next = scheduler.schedule(after: scheduler.now, interval: 0) {}
    }
    let line: UInt = #line + 1
    let scheduler = VirtualScheduler(now: 0)
    let issue = try #require(withIssueCapture { arm(scheduler) }.issues.first)
    #expect(issue.line == line)
    #expect(issue.fileID == #fileID)
  }
}
