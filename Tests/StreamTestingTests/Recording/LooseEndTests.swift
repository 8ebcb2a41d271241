import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct LooseEndTests {
  private let scheduler = DispatchQueue.test

  private func messages(_ body: () -> Void) -> [String] { IssueReporter.withCapture(body).issues.map(\.message) }

  @Test func `a test without loose ends reports nothing`() {
    let recorder = scheduler.record(scheduler.hot("-a|"))
    scheduler.run()
    #expect(recorder.values == ["a"])
    scheduler.assertNothingLeft()
  }

  @Test func `all loose ends are reported at the line of assertNothingLeft`() {
    let hot = scheduler.hot("-a--b")
    let recorder = scheduler.record(hot)
    let place = "LooseEndTests.swift:\(#line - 2)"
    let recorded = "LooseEndTests.swift:\(#line - 2)"
    scheduler.advance(by: .milliseconds(2))
    let line = #line + 1 as UInt
    let (_, issues) = IssueReporter.withCapture { scheduler.assertNothingLeft() }
    #expect(issues.map(\.line) == [line, line])
    #expect(issues.count == 2)
    #expect(issues.first?.message.hasPrefix("1 action is still pending") == true)
    #expect(
      issues.last?.message == """
        The test leaves the following behind at 2 ms:
        - a subscription to the publisher created at \(place) is still active, since 0 s
        - the stream recorded at \(recorded) has neither ended nor been cancelled:
            recorder   received 1
            ← handleEvents
            ← PassthroughSubject<String, Never>   1 subscriber
        - the test has not read the last events of the stream recorded at \(recorded): 1 ms a
        """)
    withExtendedLifetime(recorder) {}
  }

  @Test func `events that arrive after the last inspection are reported`() {
    let recorder = scheduler.record(scheduler.hot("-a-b-c|"))
    scheduler.advance(by: .milliseconds(2))
    #expect(recorder.values == ["a"])
    scheduler.run()
    #expect(messages { scheduler.assertNothingLeft() }.first?.hasSuffix(": 3 ms b and 2 more") == true)
    recorder.expect("-a-b-c|")
    scheduler.assertNothingLeft()
  }

  @Test func `the loose ends of a released recorder are reported once`() {
    func record() {
      let recorder = scheduler.record(Just(1))
      withExtendedLifetime(recorder) {}
    }
    record()
    #expect(messages { scheduler.assertNothingLeft() }.first?.contains(": 0 s 1 and 1 more") == true)
    scheduler.assertNothingLeft()
  }

  @Test func `a cancelled recording is no loose end`() {
    let cold = scheduler.cold("-----a")
    let recorder = scheduler.record(cold)
    recorder.cancel()
    scheduler.assertNothingLeft()
    #expect(cold.subscriptions.count == 1)
  }

  @Test func `pending work is reported`() {
    scheduler.schedule(after: scheduler.now.advanced(by: 1)) {}
    #expect(messages { scheduler.assertNothingLeft() }.count == 1)
  }
}
