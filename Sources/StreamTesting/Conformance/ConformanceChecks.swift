internal import StreamSchedulers
public import Streams

/// Checks that publishers and subscribers of your own keep the rules of Reactive Streams.
///
/// A test names what it has written; every rule that is violated is an issue at the line of the call.
///
/// ```swift
/// @Test func theCountdownConforms() {
///   ConformanceChecks.publisher(sends: 20) { Countdown(from: 20) }
/// }
/// ```
///
/// The numbers are those of
/// [Reactive Streams 1.0.4](https://github.com/reactive-streams/reactive-streams-jvm/blob/v1.0.4/README.md). Each check
/// works with fresh publishers or subscribers and waits for nothing.
///
/// | Rule | What is checked |
/// | --- | --- |
/// | 1.1 | no more values come than `request(_:)` and `receive(_:)` have asked for |
/// | 1.3 | no value or completion comes while another is being delivered, on this thread or another one |
/// | 1.4 | a publisher that fails sends its failure; only when one is given |
/// | 1.5 | the completion comes after all values, also when no more values were asked for than there are |
/// | 1.7 | nothing comes after the end, also when more is asked for |
/// | 1.8, 3.12 | nothing comes after `cancel()`; from another thread, one signal may |
/// | 1.9 | one subscription comes, before anything else |
/// | 1.10, 1.11 | a second subscriber gets a subscription |
/// | 2.1 | a subscriber asks for something, or cancels |
/// | 2.3 | it calls no subscription from inside `receive(completion:)` |
/// | 2.4 | it calls no subscription after that, also when it is cancelled, if it is a `Cancellable` |
/// | 2.5 | it cancels a second subscription once, asks it for nothing, and does not cancel the first |
/// | 2.8 | it calls no `request(_:)` when values come after it has cancelled, or was cancelled as a `Cancellable` |
/// | 2.9, 2.10 | it takes an end that follows the subscription at once; what shows it is `hasEnded` |
/// | 3.2 | requests from inside `receive(subscription:)` and `receive(_:)` bring values |
/// | 3.3 | asking for one value after the other, in both ways, does not make the stack grow; needs 16 values |
/// | 3.6 | requests after `cancel()` bring nothing |
/// | 3.5, 3.7 | a second `cancel()` brings nothing and takes nothing from another subscriber |
/// | 3.8 | demand adds up |
/// | 3.9 | a subscriber never asks for `.none` |
/// | 3.13 | the subscriber is let go of after `cancel()`, and after the completion |
/// | 3.17 | unlimited demand, and sums that no `Int` holds, bring all values |
///
/// Values that come at once, from inside a request that `receive(subscription:)` makes, do not overlap.
///
/// The others are left out. 1.2, 3.10, 3.11 and 3.14 to 3.16 allow things or demand that calls return, as do 1.9 and 2.13
/// in part. 1.6 shows in 1.7, and 2.12 in 1.9. 2.2, 3.4 and part of 3.5 are about being quick; 2.7, 2.11, 3.1 and part of
/// 3.5 about threads, which no single run can prove. Only the author knows when a subscription is no longer needed (2.6).
/// For publishers 3.9 does not apply: here, as in Combine, asking for `.none` stops the program.
///
/// What hangs or stops the program cannot be reported: a test that does so in here has found something, too.
public enum ConformanceChecks {
  /// Checks a publisher that sends a known number of values and then finishes.
  ///
  /// The publisher sends when it is asked, and finishes when it has sent everything, without being asked for more. It may
  /// send at once or later: then `settle` lets time pass until there is nothing left to do.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// ConformanceChecks.publisher(sends: 20, settle: { scheduler.run() }) {
  ///   Countdown(from: 20, on: scheduler)
  /// }
  /// ```
  ///
  /// A publisher that sends whether it is asked or not, such as a subject, is checked with a buffer behind it:
  /// `subject.buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)`, and `settle` sends the values.
  ///
  /// Rule 3.3 needs 16 values and is skipped when there are fewer.
  ///
  /// - Parameters:
  ///   - count: How many values the publisher sends, at least 3; fewer are reported, and nothing is checked.
  ///   - failing: Makes a publisher that fails, after any number of values. Without it, rule 1.4 is skipped.
  ///   - settle: Is called after each step.
  ///   - fileID: Where issues are reported, as are the next three.
  ///   - filePath: The path of the file.
  ///   - line: The line.
  ///   - column: The column.
  ///   - make: Makes a fresh publisher, which has no subscriber yet.
  /// - Returns: What was found, one violation for each rule, in the order of the chapters.
  @discardableResult
  public static func publisher<P: Publisher>(
    sends count: Int, failing: (() -> any Publisher)? = nil, settle: @escaping () -> Void = {},
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ make: @escaping () -> P
  ) -> [ConformanceViolation] {
    guard count >= 3 else {
      reportIssue(
        "The rules take at least 3 values: ConformanceChecks.publisher(sends: \(count)) checks nothing. Send more.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return []
    }
    var rules = PublisherRules(count: count, settle: settle, make: make)
    rules.checkAll()
    var findings = rules.findings
    if let failing { findings.add(findingsOfFailing(failing(), settle)) }
    return report(findings.all, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Checks a subscriber.
  ///
  /// ```swift
  /// ConformanceChecks.subscriber(values: [1, 2, 3], failure: Failure(), hasEnded: { $0.hasEnded }) {
  ///   Meter()
  /// }
  /// ```
  ///
  /// The subscriber asks for values from inside `receive(subscription:)`, or later: then `settle` lets time pass until it
  /// has asked.
  ///
  /// - Parameters:
  ///   - values: What the subscriber gets, if it asks for so many; at least one, or else that is reported.
  ///   - failure: What it gets in place of a completion. Without it, rule 2.10 is skipped.
  ///   - hasEnded: Whether a subscriber has taken the end of its stream. Without it, rules 2.9 and 2.10 show only in a
  ///     program that stops.
  ///   - settle: Is called after each step.
  ///   - fileID: Where issues are reported, as are the next three.
  ///   - filePath: The path of the file.
  ///   - line: The line.
  ///   - column: The column.
  ///   - make: Makes a fresh subscriber, which has no subscription yet.
  /// - Returns: What was found, one violation for each rule, in the order of the chapters.
  @discardableResult
  public static func subscriber<S: Subscriber>(
    values: [S.Input], failure: S.Failure? = nil, hasEnded: ((S) -> Bool)? = nil,
    settle: @escaping () -> Void = {},
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ make: @escaping () -> S
  ) -> [ConformanceViolation] {
    guard !values.isEmpty else {
      reportIssue(
        "The rules take at least one value: ConformanceChecks.subscriber(values: []) checks nothing. Give it some.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return []
    }
    var rules = SubscriberRules(values: values, failure: failure, hasEnded: hasEnded, settle: settle, make: make)
    rules.checkAll()
    return report(rules.findings.all, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  private static func findingsOfFailing(
    _ publisher: some Publisher, _ settle: @escaping () -> Void
  ) -> ConformanceFindings {
    var rules = PublisherRules(count: 0, settle: settle) { publisher }
    rules.checkFailure()
    return rules.findings
  }

  private static func report(
    _ violations: [ConformanceViolation], fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) -> [ConformanceViolation] {
    for violation in violations {
      reportIssue(violation.message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return violations
  }
}
