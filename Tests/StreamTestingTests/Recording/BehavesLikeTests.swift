import Dispatch
import StreamTesting
import Testing

@Suite struct BehavesLikeTests {
  private let scheduler = DispatchQueue.test

  private func messages(_ body: () -> Void) -> [String] { IssueReporter.withCapture(body).issues.map(\.message) }

  @Test func `equal streams are equal in values, times, and ends`() {
    let letters = scheduler.hot("a-b--c|")
    scheduler.expect(
      letters.delay(for: .milliseconds(2), scheduler: scheduler),
      behavesLike: letters.delay(for: .milliseconds(2), scheduler: scheduler))
    #expect(letters.subscriptions.count == 2)
  }

  @Test func `another time is a difference, and the model is what was expected`() {
    let letters = scheduler.hot("a|")
    let found = messages {
      scheduler.expect(
        letters.delay(for: .milliseconds(3), scheduler: scheduler),
        behavesLike: letters.delay(for: .milliseconds(2), scheduler: scheduler))
    }
    #expect(found.count == 1)
    #expect(found.first?.contains("expected  --a|\n  actual    ---a|") == true)
  }

  @Test func `a missing end is a difference`() {
    let letters = scheduler.hot("a|")
    let found = messages { scheduler.expect(letters.append(Empty(completeImmediately: false)), behavesLike: letters) }
    #expect(found.first?.contains("≠  1 ms  finished  –") == true)
  }

  @Test func `both are cancelled at the given time, after what is due then`() {
    let letters = scheduler.hot("abc-d")
    scheduler.expect(letters, behavesLike: letters, cancelledAt: .milliseconds(2))
    #expect(letters.subscriptions == [.cancelled(.zero, .milliseconds(2)), .cancelled(.zero, .milliseconds(2))])
    #expect(scheduler.elapsed == .milliseconds(4))
  }

  @Test func `both are cancelled at the end`() {
    let letters = scheduler.hot("ab")
    scheduler.expect(letters, behavesLike: letters)
    #expect(letters.subscriptions.map(\.end) == [.cancelled, .cancelled])
  }

  @Test func `what arrives after the cancellation is a mistake`() {
    let source = MisbehavingPublisher(["a", "b"], .ignoresCancellation, every: .milliseconds(2), on: scheduler)
    let found = messages {
      scheduler.expect(source, behavesLike: [.next(at: .milliseconds(2), "a")], cancelledAt: .milliseconds(3))
    }
    #expect(found.count == 1)
    #expect(found.first?.contains("arrived after the cancellation") == true)
  }

  @Test func `both request the same demand`() {
    let letters = scheduler.cold("abc|")
    scheduler.expect(letters, behavesLike: letters, demand: .max(2))
    #expect(letters.subscriptions.map(\.requests) == [[.request(at: 0, .max(2))], [.request(at: 0, .max(2))]])
  }

  @Test func `a list of events is a model, too`() {
    let letters = scheduler.hot("a-b|")
    scheduler.expect(letters, behavesLike: letters.events)
    let found = messages {
      scheduler.expect(Just("a"), behavesLike: [.next(at: scheduler.elapsed, "b"), .completed(at: scheduler.elapsed)])
    }
    #expect(found.count == 1)
  }

  @Test func `streams without an end are run for ten thousand actions`() {
    let ticks = scheduler.timerPublisher(every: .milliseconds(1)).autoconnect().map { _ in 1 }
    scheduler.expect(ticks, behavesLike: ticks)
    #expect(scheduler.elapsed.nanoseconds <= 10_000_000_000)
  }
}
