import Dispatch
import StreamSchedulers
import Streams
import Testing

@testable import StreamTesting

// `@testable`: all rules, of which a check reports only those that are violated.

@Suite(.ownThread)
struct FaultyPublisherTests {
  @Test(
    arguments: [
      (.none, []),
      (.addsOneToEveryRequest, ["1.1"]),
      (.addsOneToThirdRequest, ["1.1"]),
      (.takesReturnedDemandTwice, ["1.1"]),
      (.sendsInsideValueWhenAskedForTwo, ["1.3"]),
      (.waitsForLackingValues, ["1.2"]),
      (.failsForLackingValues, ["1.2"]),
      (.neverFinishes, ["1.5"]),
      (.neverFinishesWhenUnlimited, ["1.5"]),
      (.finishesOnlyWhenAsked, ["1.5"]),
      (.finishesEarly, ["1.5"]),
      (.failsAtTheEnd, ["1.5"]),
      (.sendsOneTooMany, ["1.5"]),
      (.sendsAfterTheEndWhenAsked, ["1.7"]),
      (.finishesWhenCancelledAfterTheEnd, ["1.7"]),
      (.stopsOthersOnCancelAfterTheEnd, ["1.6"]),
      (.finishesAfterCancelInLastValue, ["1.8"]),
      (.sendsTwoMoreOnAnotherThread, ["1.8"]),
      (.sendsNoSubscriptionAfterTheEnd, ["1.9"]),
      (.servesOnlyTheFirst, ["1.10"]),
      (.starvesTheSecond, ["1.11"]),
      (.ignoresRequestsInsideSubscription, ["3.2"]),
      (.ignoresRequestsInsideValue, ["3.2"]),
      (.goesOnWhenAskedAfterCancel, ["3.6"]),
      (.finishesOnSecondCancel, ["3.7"]),
      (.stopsOthersOnSecondCancel, ["3.7"]),
      (.forgetsWhatIsLeft, ["3.8"]),
      (.ignoresReturnedDemand, ["3.8"]),
      (.sendsNoSubscriptionAfterCancel, ["3.14"]),
      (.takesUnlimitedForOne, ["3.17"]),
      (.turnsUnlimitedIntoNumber, ["3.17"]),
      (.addsUnlimitedToNothing, ["3.17"]),
      (.addsLargeNumbersToNothing, ["3.17"]),
    ] as [(FaultyPublisher.Fault, [String])])
  func `the checks detect a publisher that violates a rule`(_ fault: FaultyPublisher.Fault, _ rules: [String]) {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, failing: { Fail<Int, Mishap>(error: Mishap()) }) { FaultyPublisher(fault) }
    }
    expect(violations, issues, toBe: rules, of: "FaultyPublisher", line: line)
  }

  @Test(
    arguments: [
      (.none, []),
      (.recursesOnRequest, ["1.3", "3.3"]),
      (.recursesOnReturnedDemand, ["3.3"]),
    ] as [(FaultyPublisher.Fault, [String])])
  func `the checks detect recursion with more values`(_ fault: FaultyPublisher.Fault, _ rules: [String]) {
    for count in [16, 17, 100] {
      let line: UInt = #line + 2
      let (violations, issues) = IssueReporter.withCapture {
        ConformanceChecks.publisher(sends: count) { FaultyPublisher(fault, count: count) }
      }
      expect(violations, issues, toBe: rules, of: "FaultyPublisher", line: line)
    }
  }

  @Test(
    arguments: [
      (.none, []),
      (.forgetsEarlierRequests, ["3.8"]),
      (.neverWakesUp, ["3.8"]),
    ] as [(FaultyPublisher.Fault, [String])])
  func `the checks detect violations of a publisher that sends asynchronously`(
    _ fault: FaultyPublisher.Fault, _ rules: [String]
  ) {
    let scheduler = DispatchQueue.test
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, settle: { scheduler.run() }) {
        FaultyPublisher(fault, scheduler: scheduler)
      }
    }
    expect(violations, issues, toBe: rules, of: "FaultyPublisher", line: line)
  }

  @Test func `the checks detect a publisher that holds a lock while it sends`() {
    let line: UInt = #line + 3
    let (violations, issues) = IssueReporter.withCapture {
      CallOnAnotherThread.$patience.withValue(0.05) {
        ConformanceChecks.publisher(sends: 5) { FaultyPublisher(.holdsLockWhileSending) }
      }
    }
    expect(violations, issues, toBe: ["3.4", "3.5"], of: "FaultyPublisher", line: line)
  }

  @Test func `a violation has the names of the kit's tests`() {
    let (violations, _) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5) { FaultyPublisher(.finishesAfterCancelInLastValue) }
    }
    #expect(
      violations.map(\.identifiers) == [
        [
          "untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals",
          "required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling",
        ]
      ])
    for rule in ConformanceRule.allCases {
      #expect(!ConformanceViolation(rule, by: "", seen: "").identifiers.isEmpty, "\(rule.rawValue)")
    }
  }

  @Test func `the checks detect a publisher that finishes instead of failing`() {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, failing: { Empty<Int, Mishap>() }) { FaultyPublisher(.none) }
    }
    expect(violations, issues, toBe: ["1.4"], of: "Empty<Int, Mishap>", line: line)
    #expect(violations.first?.message.hasSuffix(": the publisher finished instead.") == true)
  }

  @Test func `the checks detect a publisher that never sends its failure`() {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, failing: { FaultyPublisher(.neverFinishes) }) { FaultyPublisher(.none) }
    }
    expect(violations, issues, toBe: ["1.4"], of: "FaultyPublisher", line: line)
    #expect(violations.first?.message.hasSuffix(": no failure arrived.") == true)
  }

  @Test func `the checks detect a publisher that sends after its failure`() {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, failing: { Relapse() }) { FaultyPublisher(.none) }
    }
    expect(violations, issues, toBe: ["1.7"], of: "Relapse", line: line)
  }

  @Test func `the checks detect a publisher that sends on a request after its failure`() {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5, failing: { FaultyPublisher(.sendsAfterFailureWhenAsked) }) {
        FaultyPublisher(.none)
      }
    }
    expect(violations, issues, toBe: ["1.7"], of: "FaultyPublisher", line: line)
  }

  @Test func `a publisher that sends all values in each request is reported, and does not overflow the stack`() {
    let (violations, _) = IssueReporter.withCapture { ConformanceChecks.publisher(sends: 20) { Flood() } }
    #expect(violations.contains { $0.message.contains("nested call") })
  }

  @Test func `a message names the rule, its requirement and the observed behavior`() {
    let (violations, _) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5) { MisbehavingPublisher([1, 2, 3, 4, 5], .sendsBeyondDemand) }
    }
    #expect(
      violations.map(\.description) == [
        "MisbehavingPublisher<Int, Never> violates rule 1.1, which requires that a publisher sends no more values than "
          + "were requested: 5 values arrived when 1 had been requested."
      ])
    let (others, _) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 5) { FaultyPublisher(.sendsOneTooMany) }
    }
    #expect(others.map(\.message).allSatisfy { $0.hasSuffix(": 6 values arrived where 5 were expected.") })
  }
}

/// A publisher that sends all of its values in each request.
private struct Flood: Publisher {
  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Stream(subscriber: subscriber))
  }

  private final class Stream<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
    let subscriber: S
    init(subscriber: S) { self.subscriber = subscriber }

    func request(_ demand: Subscribers.Demand) {
      for number in 1...20 { _ = subscriber.receive(number) }
      subscriber.receive(completion: .finished)
    }

    func cancel() {}
  }
}

/// Sends a value after its failure.
private struct Relapse: Publisher {
  typealias Output = Int
  typealias Failure = Mishap

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Mishap {
    Fail<Int, Mishap>(error: Mishap()).receive(subscriber: subscriber)
    _ = subscriber.receive(1)
  }
}

struct PublisherConformanceTests {
  private let numbers = (1...20).publisher
  private let scheduler = DispatchQueue.test

  /// Numbers that `settle` sends to a subject, buffered downstream of it.
  private final class Live {
    private(set) var subject = PassthroughSubject<Int, Never>()

    func publisher() -> some Publisher<Int, Never> {
      subject = PassthroughSubject()
      return subject.buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)
    }

    func settle() {
      for number in 1...20 { subject.send(number) }
      subject.send(completion: .finished)
    }
  }

  @Test func `sequences conform`() {
    ConformanceChecks.publisher(sends: 5, failing: { Fail<Int, Mishap>(error: Mishap()) }) { (1...5).publisher }
    ConformanceChecks.publisher(sends: 3) { [1, 2, 3].publisher }
    ConformanceChecks.publisher(sends: 1000) { (1...1000).publisher }
  }

  @Test func `operators on single values conform`() {
    let failing = numbers.tryMap { if $0 == 3 { throw Mishap() } else { $0 } }
    ConformanceChecks.publisher(sends: 20, failing: { failing }) { numbers.map { $0 * 2 } }
    ConformanceChecks.publisher(sends: 20) { (1...40).publisher.filter { $0.isMultiple(of: 2) } }
    ConformanceChecks.publisher(sends: 20) { (1...40).publisher.prefix(20).scan(0, +).eraseToAnyPublisher() }
    ConformanceChecks.publisher(sends: 20) { (1...40).publisher.collect(2) }
  }

  @Test func `operators with several sources conform`() {
    ConformanceChecks.publisher(sends: 20) { (1...10).publisher.flatMap { [$0, -$0].publisher } }
    ConformanceChecks.publisher(sends: 20) {
      (1...10).publisher.flatMap(maxPublishers: .max(1)) { [$0, -$0].publisher }
    }
    ConformanceChecks.publisher(sends: 40) { numbers.merge(with: numbers) }
    ConformanceChecks.publisher(sends: 20) { numbers.zip(numbers) }
    ConformanceChecks.publisher(sends: 40) { numbers.append(numbers) }
    ConformanceChecks.publisher(sends: 20) { Deferred { numbers } }
  }

  @Test func `subjects conform`() {
    let live = Live()
    ConformanceChecks.publisher(sends: 20, settle: live.settle) { live.publisher() }
    ConformanceChecks.publisher(sends: 20, settle: live.settle) { live.publisher().share() }
    ConformanceChecks.publisher(sends: 20, settle: live.settle) { live.publisher().map { $0 }.merge(with: Empty()) }
  }

  @Test func `operators on a scheduler conform`() {
    let scheduler = scheduler
    let settle = { scheduler.run() }
    ConformanceChecks.publisher(sends: 20, settle: settle) { numbers.receive(on: scheduler) }
    ConformanceChecks.publisher(sends: 20, settle: settle) { numbers.subscribe(on: scheduler) }
    ConformanceChecks.publisher(sends: 20, settle: settle) { numbers.delay(for: .seconds(1), scheduler: scheduler) }
    ConformanceChecks.publisher(sends: 20, settle: settle) {
      numbers.flatMap { Just($0).delay(for: .seconds($0), scheduler: scheduler) }
    }
    ConformanceChecks.publisher(sends: 20, settle: settle) {
      scheduler.timerPublisher(every: .seconds(1)).autoconnect().prefix(20)
        .buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)
    }
    scheduler.assertIdle()
  }

  @Test func `debounced numbers conform`() {
    let scheduler = scheduler
    ConformanceChecks.publisher(sends: 20, settle: { scheduler.run() }) {
      // The last value is dropped, because completion arrives with it.
      (1...21).publisher.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: .seconds(2), scheduler: scheduler) }
        .debounce(for: .seconds(1), scheduler: scheduler)
        .buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)
    }
    scheduler.assertIdle()
  }

  @Test(.ownThread) func `a publisher on a queue conforms`() {
    let queue = DispatchQueue(label: "conformance")
    ConformanceChecks.publisher(sends: 20, settle: { for _ in 1...100 { queue.sync {} } }) {
      numbers.receive(on: queue)
    }
  }
}

/// Expects that certain rules are violated and reported at a line.
func expect(
  _ violations: [ConformanceViolation], _ issues: [ReportedIssue], toBe rules: [String], of culprit: String,
  line: UInt, fileID: String = #fileID, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(violations.map(\.rule) == rules, "\(violations)", sourceLocation: sourceLocation)
  #expect(issues.map(\.message) == violations.map(\.message), sourceLocation: sourceLocation)
  #expect(issues.allSatisfy { $0.line == line && $0.fileID == fileID }, sourceLocation: sourceLocation)
  #expect(
    zip(rules, issues).allSatisfy { $1.message.hasPrefix("\(culprit) violates rule \($0), which requires that ") },
    sourceLocation: sourceLocation)
}
