import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// The messages of blocking calls that time out, which state the thread that they have blocked.
@Suite
struct WaitingThreadTests {
  private let pool =
    "This call blocks one of the few threads in Swift's concurrency pool. The task that it waits for may need that "
    + "thread to run. "
  private let main =
    "This call blocks the main thread, so main-actor tasks and work on the main queue can't run in the meantime. "
  private let armed = "Write `await scheduler.armed(1)` in an asynchronous function, or wait on a thread of your own."
  private let sleeping = "Write `await clock.armed(1)` in an asynchronous function, or wait on a thread of your own."
  private let read = "Record the stream and write `await recorder.finished()`, or read on a thread of your own."

  // All these calls wait for a millisecond.

  private func schedulerMessages() -> [String] {
    messages { #expect(!DispatchQueue.test.armed(1, timeout: .milliseconds(1))) }
  }

  private func clockMessages() -> [String] {
    messages { #expect(!TestClock().armed(1, timeout: .milliseconds(1))) }
  }

  private func readMessage() -> String? {
    let stream = PassthroughSubject<Int, Never>().blocking(timeout: .milliseconds(1))
    let error = #expect(throws: BlockingError.self) { try stream.toArray() }
    let text = error?.description.replacing("read at WaitingThreadTests.swift:\(#line - 2) ", with: "")
    return text?.split(separator: "\n\nWhy nothing arrives: ").first.map(String.init)
  }

  private func runMessage(_ duration: Duration) -> String? {
    #expect(throws: Deadlock.self) {
      try DispatchQueue.test.run(allowingExternalEvents: duration) {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }?.description
  }

  @Test func `a blocking call on a pool thread says so`() {
    #expect(schedulerMessages() == ["After 0.001 seconds, nothing is armed, 1 missing.\n" + pool + armed])
    #expect(
      clockMessages() == ["After 0.001 seconds, no task is sleeping on the clock, 1 missing.\n" + pool + sleeping])
    #expect(readMessage() == "The stream did not end within 0.001 seconds. No events so far.\n" + pool + read)
    let advice = "\n" + pool + "Call it on a thread of your own, or on the main actor."
    #expect(runMessage(.milliseconds(1))?.hasSuffix(advice) == true)
    #expect(runMessage(.zero)?.contains("pool") == false)
  }

  @Test func `a blocking call in a task of a timeline that a pool thread advances says so`() {
    let scheduler = DispatchQueue.test
    let log = Log<String>()
    Task(on: scheduler) { for message in schedulerMessages() { log.append(message) } }
    scheduler.advance()
    #expect(log.all == ["After 0.001 seconds, nothing is armed, 1 missing.\n" + pool + armed])
  }

  @MainActor
  @Test func `a blocking call on the main thread says so`() {
    #expect(schedulerMessages() == ["After 0.001 seconds, nothing is armed, 1 missing.\n" + main + armed])
    #expect(
      clockMessages() == ["After 0.001 seconds, no task is sleeping on the clock, 1 missing.\n" + main + sleeping])
    #expect(readMessage() == "The stream did not end within 0.001 seconds. No events so far.\n" + main + read)
    #expect(runMessage(.milliseconds(1))?.contains("blocks") == false)
  }

  @Test(.ownThread) func `a blocking call on an unshared thread says nothing about threads`() {
    #expect(schedulerMessages() == ["After 0.001 seconds, nothing is armed, 1 missing."])
    #expect(clockMessages() == ["After 0.001 seconds, no task is sleeping on the clock, 1 missing."])
    #expect(readMessage() == "The stream did not end within 0.001 seconds. No events so far.")
    #expect(runMessage(.milliseconds(1))?.contains("blocks") == false)
  }

  @Test func `awaiting blocks no thread`() async {
    let (_, issues) = await IssueReporter.withCapture {
      #expect(await !DispatchQueue.test.armed(1, timeout: .milliseconds(1)))
      #expect(await !TestClock().armed(1, timeout: .milliseconds(1)))
    }
    #expect(issues.map { $0.message.contains("blocks") } == [false, false])
  }
}
