import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

struct FaultySubjectTests {
  @Test(
    arguments: [
      (.none, []),
      (.ignoresDemand, ["1.1"]),
      (.sendsInsideValue, ["1.3"]),
      (.finishesInsideValue, ["1.3"]),
      (.finishesInsteadOfFailing, ["1.4", "4.2"]),
      (.sendsAfterTheEnd, ["1.7", "3.13"]),
      (.finishesTwice, ["1.7", "3.13"]),
      (.doesNotStopWhenCancelled, ["1.8"]),
      (.finishesAfterCancelInValue, ["1.8"]),
      (.sendsNoSubscription, ["1.9"]),
      (.sendsNoSubscriptionAfterTheEnd, ["1.9"]),
      (.servesOnlyTheFirst, ["1.10"]),
      (.starvesTheSecond, ["1.11"]),
      (.neverAsksUpstream, ["2.1"]),
      (.sendsTwoSubscriptions, ["2.12"]),
      (.goesOnWhenAskedAfterCancel, ["3.6", "3.13"]),
      (.stopsOthersOnSecondCancel, ["3.7"]),
      (.forgetsEarlierRequests, ["3.8"]),
      (.keepsSubscriberAfterCancel, ["3.13"]),
      (.keepsSubscriberAfterTheEnd, ["3.13"]),
      (.sendsNoSubscriptionAfterCancel, ["3.14"]),
      (.addsLargeNumbersToNothing, ["3.17"]),
      (.dropsEverySecondValue, ["4.1"]),
      (.losesTheCompletion, ["2.9", "4.1"]),
      (.losesTheFailure, ["2.10", "4.2"]),
      (.waitsWithTheFailure, ["4.2"]),
    ] as [(FaultySubject.Fault, [String])])
  func `the checks detect a subject that violates a rule`(_ fault: FaultySubject.Fault, _ rules: [String]) {
    let line: UInt = #line + 2
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.subject(values: [1, 2, 3], failure: Mishap()) { FaultySubject(fault) }
    }
    expect(violations, issues, toBe: rules, of: "FaultySubject", line: line)
  }

  @Test func `a message names the rule, its requirement and the observed behavior`() {
    let (violations, _) = IssueReporter.withCapture {
      ConformanceChecks.subject(values: [1, 2, 3]) { FaultySubject(.dropsEverySecondValue) }
    }
    #expect(
      violations.map(\.description) == [
        "FaultySubject violates rule 4.1, which requires that a subject delivers what it receives to each subscriber that "
          + "has requested it: 2 of 3 values arrived."
      ])
  }

  @Test func `without values, nothing is checked`() {
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.subject(values: []) { FaultySubject(.ignoresDemand) }
    }
    #expect(violations.isEmpty)
    #expect(
      issues.map(\.message) == [
        "ConformanceChecks.subject(values:) requires at least 1 value, got none. Nothing was checked."
      ])
  }
}

struct SubjectConformanceTests {
  @Test func `the package's subjects conform`() {
    ConformanceChecks.subject(values: [1, 2, 3], failure: Mishap()) { PassthroughSubject<Int, Mishap>() }
    ConformanceChecks.subject(values: [1, 2, 3], failure: Mishap()) { CurrentValueSubject<Int, Mishap>(0) }
    ConformanceChecks.subject(values: [1]) { ReplaySubject<Int, Never>(bufferSize: 3) }
    ConformanceChecks.subject(values: [1, 2, 3], failure: Mishap()) { ReplaySubject<Int, Mishap>(bufferSize: 2) }
  }
}
