import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// The message of an expectation that failed because nothing arrived says why that may be.
@Suite struct ReasonsForMissingValuesTests {
  private let scheduler = DispatchQueue.test

  private func message(_ expect: () -> Void) -> String {
    let (_, issues) = IssueReporter.withCapture(expect)
    return issues.map(\.message).joined(separator: "\n")
  }

  private func expectText(
    _ text: String, isPresent: Bool = true, _ expect: () -> Void, location: SourceLocation = #_sourceLocation
  ) {
    let message = message(expect)
    #expect(message.contains(text) == isPresent, sourceLocation: location)
  }

  @Test func `names pending actions`() {
    let recorder = scheduler.record(Just(1).delay(for: .milliseconds(300), scheduler: scheduler))
    let text = message { recorder.expect("1") }
    #expect(text.contains("\n\n1 action is pending, due at 300 ms, but the time is 0 s. Did you advance it?\n\nWhy "))
    recorder.cancel()
  }

  @Test func `counts pending actions`() {
    let recorder = scheduler.record(Just(1).delay(for: .seconds(1), scheduler: scheduler))
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(3))) {}
    let text = message { recorder.expect("1") }
    let sentence = "2 actions are pending, the first due at 1 s, but the time is 0 s. Did you advance it?"
    #expect(text.contains("\(sentence)\n\nWhy "))
    scheduler.run()
    #expect(recorder.values == [1])
  }

  @Test func `names a connectable publisher, a future and a subject`() {
    let connectable = scheduler.record(Just(1).makeConnectable().map { $0 + 1 })
    expectText("makeConnectable(), which sends nothing until you call connect()") { connectable.expect("2") }
    let multicast = scheduler.record(Just(1).multicast { PassthroughSubject<Int, Never>() })
    expectText("multicast, which sends nothing until you call connect()") { multicast.expect("2") }
    let timer = scheduler.record(scheduler.timerPublisher(every: .seconds(1)))
    expectText("a timer, which sends nothing until you call connect()") { timer.expect("-x") }
    let future = scheduler.record(Future<Int, Never> { _ in })
    expectText("a Future, which sends nothing until its promise is called") { future.expect("1") }
    let subject = scheduler.record(PassthroughSubject<Int, Never>().filter { $0 > 1 })
    expectText("which drops values that are sent before a subscription") { subject.expect("2") }
    let running = scheduler.record(scheduler.timerPublisher(every: .seconds(1)).autoconnect())
    expectText("connect()", isPresent: false) { running.expect("1") }
    running.cancel()
  }

  @Test func `a list of values is compared regardless of times`() {
    let recorder = scheduler.record([1, 2].publisher.delay(for: .seconds(1), scheduler: scheduler))
    let early = message { recorder.expect(values: [1, 2]) }
    #expect(early.contains("  expected  [1, 2]\n  actual    []\n"))
    #expect(early.contains("1 action is pending, due at 1 s, but the time is 0 s. Did you advance it?\n\nWhy "))
    scheduler.run()
    #expect(message { recorder.expect(values: [1, 2]) } == "")
    #expect(
      message { recorder.expect(values: [1, 3]) } == """
        The stream's values differ from the expected values.

          expected  [1, 3]
          actual    [1, 2]
                    [1]: expected 3, actual 2

        The stream has finished.
        """)
  }

  @Test func `a failure that ended the stream is named`() {
    let failing = scheduler.record(scheduler.cold("a#", error: Oops()))
    scheduler.run()
    #expect(message { failing.expect(values: ["a", "b"]) }.hasSuffix("The stream has failed: Oops()"))
  }

  @Test func `says that a replaced failure ends the stream`() {
    func search(_ query: String) -> AnyPublisher<String, Oops> {
      query == "b"
        ? Fail(error: Oops()).eraseToAnyPublisher()
        : [query].publisher.setFailureType(to: Oops.self).eraseToAnyPublisher()
    }
    let outside = scheduler.record(scheduler.hot("a-b-c|").flatMap { search($0) }.catch { _ in Just("?") })
    let inside = scheduler.record(
      scheduler.hot("a-b-c|").flatMap { search($0).catch { _ in Just("?") } })
    scheduler.run()
    let text = "Replacing a failure ends the stream. To continue the stream, replace the failure in the publishers"
    expectText(text) { outside.expect("a-?-c|") }
    expectText(text) { outside.expect(values: ["a", "?", "c"]) }
    expectText(text, isPresent: false) { inside.expect(values: ["a", "?", "c", "d"]) }
    expectText(text, isPresent: false) { outside.expect(values: ["b", "?"]) }
    inside.expect("a-?-c|")
  }

  @Test func `says that nothing was requested`() {
    let recorder = scheduler.record(Just(1), demand: .none)
    expectText("No value has been requested.") { recorder.expect("1") }
    recorder.cancel()
  }

  @Test func `says that no subscription has come`() {
    struct Mute: Publisher {
      typealias Output = Int
      typealias Failure = Never
      func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {}
    }
    let recorder = scheduler.record(Mute())
    expectText("The publisher has not sent a subscription.") { recorder.expect("1") }
    recorder.cancel()
  }

  @Test func `says nothing if something arrived`() {
    let late = Just(2).delay(for: .seconds(1), scheduler: scheduler)
    let recorder = scheduler.record(Just(1).append(late))
    expectText("pending", isPresent: false) { recorder.expect("(12)") }
    recorder.cancel()
  }
}

private struct Oops: Error {}
