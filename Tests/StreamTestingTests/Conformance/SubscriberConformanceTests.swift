import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

struct FaultySubscriberTests {
  @Test(
    arguments: [
      (.none, []),
      (.neverAsks, ["2.1"]),
      (.cancelsInCompletion, ["2.3"]),
      (.asksInCompletion, ["2.3"]),
      (.cancelsInFailure, ["2.3"]),
      (.cancelsAfterTheEnd, ["2.4"]),
      (.asksAfterTheEnd, ["2.4"]),
      (.ignoresSecondSubscription, ["2.5"]),
      (.cancelsSecondSubscriptionTwice, ["2.5"]),
      (.asksSecondSubscription, ["2.5"]),
      (.changesToSecondSubscription, ["2.5"]),
      (.cancelsBothSubscriptions, ["2.5"]),
      (.changesSilently, ["2.5"]),
      (.cancelsInLateCompletion, ["2.3"]),
      (.forgetsToCancel, ["2.6"]),
      (.asksAfterCancel, ["2.8"]),
      (.ignoresCompletionBeforeValues, ["2.9"]),
      (.ignoresFailureBeforeValues, ["2.10"]),
      (.asksForNone, ["3.9"]),
      (.asksForNoneLater, ["3.9"]),
      (.asksForNoneAtSecondSubscription, ["3.9"]),
      (.losesValuesInside, ["3.10"]),
      (.keepsSubscriptionAfterEndInside, ["3.11"]),
      (.forgetsEndInside, ["3.11"]),
    ] as [(FaultySubscriber.Fault, [String])])
  func `the checks detect a subscriber that violates a rule`(_ fault: FaultySubscriber.Fault, _ rules: [String]) {
    var subscriber = FaultySubscriber(fault)
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.subscriber(
        values: [1, 2, 3], failure: Mishap(), hasEnded: { $0.hasEnded }, settle: { subscriber.settle() }
      ) {
        subscriber = FaultySubscriber(fault)
        return subscriber
      }
    }
    expect(violations, issues, toBe: rules, of: "FaultySubscriber", line: line)
  }

  @Test(.exits) func `a subscriber that stops the program at a late completion does so in the checks`() async {
    await #expect(processExitsWith: .failure) {
      ConformanceChecks.subscriber(values: [1, 2, 3]) { FaultySubscriber(.stopsInLateCompletion) }
    }
  }

  @Test func `a message names the rule, its requirement and the observed behavior`() {
    let (violations, _) = IssueReporter.withCapture {
      ConformanceChecks.subscriber(values: [1]) { FaultySubscriber(.ignoresSecondSubscription) }
    }
    #expect(
      violations.map(\.description) == [
        "FaultySubscriber violates rule 2.5, which requires that a second subscription is cancelled and the first one "
          + "continues: the second subscription was cancelled 0 times."
      ])
  }
}

struct SubscriberConformanceTests {
  private final class Model {
    var value = 0
  }

  /// Requests values one at a time up to a limit, and then cancels.
  private final class Limited: Subscriber {
    typealias Input = Int
    typealias Failure = Mishap

    private var remaining: Int
    private var subscription: (any Subscription)?
    private(set) var hasEnded = false

    init(_ limit: Int) { remaining = limit }

    func receive(subscription: any Subscription) {
      guard self.subscription == nil, !hasEnded else { return subscription.cancel() }
      self.subscription = subscription
      subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      remaining -= 1
      if remaining > 0 { return .max(1) }
      subscription.take()?.cancel()
      hasEnded = true
      return .none
    }

    func receive(completion: Subscribers.Completion<Mishap>) {
      subscription = nil
      hasEnded = true
    }
  }

  /// Cancels after some values, and again on every later call.
  private final class Emphatic: Subscriber, Cancellable {
    typealias Input = Int
    typealias Failure = Mishap

    private var remaining: Int
    private var subscription: (any Subscription)?
    private var isOver = false

    init(_ limit: Int) { remaining = limit }

    func receive(subscription: any Subscription) {
      guard self.subscription == nil else { return subscription.cancel() }
      self.subscription = subscription
      if remaining == 0 { cancel() } else { subscription.request(.unlimited) }
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      remaining -= 1
      if remaining == 0 { cancel() }
      return .none
    }

    func receive(completion: Subscribers.Completion<Mishap>) {
      if !isOver { subscription = nil }
    }

    func cancel() {
      isOver = true
      subscription?.cancel()
    }
  }

  @Test func `a sink conforms`() {
    var hasEnded = false
    ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap(), hasEnded: { _ in hasEnded }) {
      hasEnded = false
      return Subscribers.Sink<Int, Mishap>(receiveCompletion: { _ in hasEnded = true }, receiveValue: { _ in })
    }
  }

  @Test func `an assign conforms`() {
    ConformanceChecks.subscriber(values: [1, 2, 3], hasEnded: { $0.object == nil }) {
      Subscribers.Assign(object: Model(), keyPath: \.value)
    }
  }

  @Test func `erased subscribers conform`() {
    ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap()) { AnySubscriber(Limited(2)) }
    var sinks: Set<AnyCancellable> = []
    ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap()) {
      let subject = PassthroughSubject<Int, Mishap>()
      subject.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).store(in: &sinks)
      return AnySubscriber(subject)
    }
  }

  @Test func `a subscriber with a limit conforms`() {
    for limit in [1, 3, 10] {
      ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap(), hasEnded: { $0.hasEnded }) { Limited(limit) }
    }
  }

  @Test func `a subscriber that cancels more than once conforms`() {
    for limit in 0...2 {
      ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap()) { Emphatic(limit) }
    }
  }

  @Test func `a subscriber that requests demand later conforms`() {
    var latest = PassthroughSubject<Int, Mishap>()
    var sinks: [AnyCancellable] = []
    ConformanceChecks.subscriber(
      values: [1, 2, 3], failure: Mishap(),
      settle: { sinks.append(latest.sink(receiveCompletion: { _ in }, receiveValue: { _ in })) }
    ) {
      latest = PassthroughSubject()
      return AnySubscriber(latest)
    }
  }

  @Test func `a subscriber that was cancelled beforehand conforms`() {
    ConformanceChecks.subscriber(values: [1, 2, 3], failure: Mishap()) {
      let sink = Subscribers.Sink<Int, Mishap>(receiveCompletion: { _ in }, receiveValue: { _ in })
      sink.cancel()
      return sink
    }
  }
}
