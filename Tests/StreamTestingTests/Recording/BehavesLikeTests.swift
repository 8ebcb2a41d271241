import Dispatch
import StreamAlgorithms
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

  @Test func `both are cancelled at the given time, before anything that is due then`() {
    let letters = scheduler.hot("abc-d")
    scheduler.expect(letters, behavesLike: letters, cancelledAt: .milliseconds(2))
    #expect(letters.subscriptions == [.cancelled(.zero, .milliseconds(2)), .cancelled(.zero, .milliseconds(2))])
    #expect(scheduler.elapsed == .milliseconds(4))
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a source's event and a timer's at the time of the cancellation are not received, as with a diagram`(time: Int) {
    let moment = DispatchQueue.SchedulerTimeType.Stride.milliseconds(time)
    for isHot in [true, false] {
      let publisher =
        isHot
        ? scheduler.hot("--a").eraseToAnyPublisher()
        : Just("a").delay(for: .milliseconds(2), scheduler: scheduler).append(Empty(completeImmediately: false))
          .eraseToAnyPublisher()
      let received: [Recorded<String, Never, DispatchQueue.SchedulerTimeType.Stride>] =
        time > 2 ? [.next(at: scheduler.elapsed + .milliseconds(2), "a")] : []
      scheduler.expect(publisher, behavesLike: received, cancelledAt: scheduler.elapsed + moment)
    }
    let scheduler = DispatchQueue.test
    let window = String(repeating: "-", count: time) + "!"
    scheduler.expect(scheduler.hot("--a"), time > 2 ? "--a" : "---", subscription: Marbles(window))
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

  @Test func `the budget is reported if streams have no end`() {
    scheduler.maximumActions = 100
    let ticks = scheduler.timerPublisher(every: .milliseconds(1)).autoconnect().map { _ in 1 }
    let found = messages { scheduler.expect(ticks, behavesLike: ticks) }
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("The budget of actions is used up") == true)
    #expect(found.first?.contains("after 100 actions in one call") == true)
    scheduler.expect(ticks, behavesLike: ticks, cancelledAt: scheduler.elapsed + .milliseconds(20))
  }

  @Test func `the budget is reported if the time of the cancellation is not reached`() {
    scheduler.maximumActions = 100
    let ticks = scheduler.timerPublisher(every: .milliseconds(1)).autoconnect().map { _ in 1 }
    let found = messages { scheduler.expect(ticks, behavesLike: ticks, cancelledAt: .seconds(1)) }
    #expect(found.count == 1)
    #expect(found.first?.contains("after 100 actions in one call") == true)
  }

  @Test func `all that is expected is compared, no matter how much else runs meanwhile`() {
    let timer = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {}
    let letter = Just("a").delay(for: .seconds(20), scheduler: scheduler)
    scheduler.expect(letter, behavesLike: letter)
    #expect(scheduler.elapsed == .seconds(20))
    scheduler.expect(letter, behavesLike: [.next(at: .seconds(40), "a"), .completed(at: .seconds(40))])
    let found = messages { scheduler.expect(letter.map { _ in "b" }, behavesLike: letter) }
    #expect(found.count == 1)
    #expect(found.first?.contains("differ from the expected events") == true)
    timer.cancel()
  }

  @Test func `a stream that goes on after its model has ended is a difference`() {
    let ticks = scheduler.timerPublisher(every: .milliseconds(1)).autoconnect().map { _ in 1 }
    let found = messages { scheduler.expect(ticks, behavesLike: ticks.prefix(2)) }
    #expect(found.count == 1)
    #expect(found.first?.contains("differ from the expected events") == true)
    #expect(scheduler.elapsed < .milliseconds(10))
  }

  @Test func `streams that are subscribed to later are compared`() {
    let letters = scheduler.hot("-a-b|")
    let found = messages {
      scheduler.expect(
        letters.delay(subscription: .milliseconds(2), scheduler: scheduler),
        behavesLike: letters.delay(subscription: .milliseconds(2), scheduler: scheduler).map { $0 + "!" })
    }
    #expect(found.count == 1)
  }
}
