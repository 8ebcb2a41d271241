internal import StreamSchedulers
public import Streams

/// Checks that your own publishers and subscribers conform to the rules of Reactive Streams.
///
/// Call a check in a test. Each violated rule is reported as an issue at the line of the call.
///
/// ```swift
/// @Test func theCountdownConforms() {
///   ConformanceChecks.publisher(sends: 20) { Countdown(from: 20) }
/// }
/// ```
///
/// The rules' numbers come from [Reactive Streams
/// 1.0.4](https://github.com/reactive-streams/reactive-streams-jvm/blob/v1.0.4/README.md). Each check uses fresh
/// publishers or subscribers and doesn't wait for real time. ``ConformanceViolation/identifiers`` names the rule's
/// tests in the Technology Compatibility Kit for the JVM.
///
/// | Rule | What is checked |
/// | --- | --- |
/// | 1.1 | no more values are delivered than `request(_:)` and `receive(_:)` have requested |
/// | 1.2 | a publisher with fewer values than were requested sends them and finishes |
/// | 1.3 | no value or completion is delivered during another delivery, on the same thread or on another one |
/// | 1.4 | a publisher that fails sends its failure, if you pass one |
/// | 1.5 | the completion follows all values, even if no more values were requested than there are |
/// | 1.6 | a `cancel()` after the completion doesn't affect another subscriber |
/// | 1.7 | nothing follows the terminal event, even if more values are requested |
/// | 1.8, 3.12 | nothing follows `cancel()`, even if the last `receive(_:)` calls it, except one signal from another thread |
/// | 1.9 | a subscription arrives before anything else, even if another subscriber's stream has ended |
/// | 1.10 | a second subscriber receives a subscription |
/// | 1.11 | both of two subscribers receive values or a completion |
/// | 2.1 | a subscriber requests values, or cancels |
/// | 2.3 | a subscriber doesn't call its subscription from inside `receive(completion:)` |
/// | 2.4 | a subscriber doesn't call its subscription after the completion, even if it's a `Cancellable` that's cancelled |
/// | 2.5 | a subscriber cancels a second subscription once, doesn't request from it, and doesn't cancel the first one |
/// | 2.6 | if a subscriber is a `Cancellable`, its `cancel()` cancels the subscription |
/// | 2.8 | a subscriber that has cancelled, or was cancelled as a `Cancellable`, doesn't request more if values arrive |
/// | 2.9, 2.10 | a subscriber accepts a terminal event right after the subscription, as `hasEnded` shows |
/// | 2.12 | only one subscription arrives |
/// | 3.2 | requests from inside `receive(subscription:)` and `receive(_:)` are served |
/// | 3.3 | requesting value after value, by a call or as returned demand, doesn't make the stack grow (needs 16 values) |
/// | 3.4, 3.5 | a request and a `cancel()` on another thread return while a value is being delivered |
/// | 3.6 | requests after `cancel()` have no effect |
/// | 3.5, 3.7 | a second `cancel()` has no effect, and doesn't affect another subscriber |
/// | 3.8 | demand adds up |
/// | 3.9 | a subscriber never requests `.none` |
/// | 3.10, 3.11 | a subscriber accepts values and a completion that are delivered from inside its request |
/// | 3.13 | the subscriber is released after `cancel()`, and after the completion |
/// | 3.14 | a subscriber that arrives after the only one has cancelled receives a subscription |
/// | 3.17 | unlimited demand, and sums that an `Int` can't represent, deliver all values |
/// | 4.1 | a subject obeys the rules of both sides, and delivers what it receives to all of its subscribers |
/// | 4.2 | a subject passes a failure on immediately, even if nothing was requested (if you pass a failure) |
///
/// In the check of rule 3.10, values that are delivered from inside a request don't overlap.
///
/// Rules 2.13, 3.15, and 3.16 require that calls return normally. The protocols' functions can't throw, and the checks make each
/// call in every state in which it's permitted. A call that hangs or stops the program is a violation as well, but only the
/// checks of rules 3.4 and 3.5 can report it, after ten seconds.
///
/// Four rules aren't checked. Rule 2.2 and parts of rules 3.4 and 3.5 are about speed. Rules 2.7, 2.11 and 3.1 are about threads,
/// about which a single run can't prove anything. Rule 3.9 isn't checked for publishers: this package's ignore a request for
/// `.none`, and some of Combine's stop the program. [The rules of Reactive Streams](/documentation/streams/reactivestreams)
/// states how the package itself is checked for each of the 43 rules.
public enum ConformanceChecks {
  /// Checks a publisher that sends a known number of values and then finishes.
  ///
  /// The publisher must send values on request, and finish after the last one without a further request. If it sends later, pass
  /// a `settle` closure that advances time until nothing is left to do.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// ConformanceChecks.publisher(sends: 20, settle: { scheduler.run() }) {
  ///   Countdown(from: 20, on: scheduler)
  /// }
  /// ```
  ///
  /// To check a publisher that sends regardless of demand, such as a subject, put a buffer behind it:
  /// `subject.buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)`. Then send the values from `settle`.
  ///
  /// - Parameters:
  ///   - count: The number of values that the publisher sends, at least 3. A smaller number is reported, and nothing is
  ///     checked.
  ///   - failing: A closure that returns a publisher that fails after any number of values. Without it, rule 1.4 is
  ///     skipped.
  ///   - settle: A closure that finishes any scheduled work. Checks call it after they subscribe, send, request, or
  ///     cancel.
  ///   - make: A closure that returns a fresh publisher.
  /// - Returns: A violation for each violated rule, ordered by rule.
  /// - Complexity: O(*n*), where *n* is the number of values.
  @discardableResult
  public static func publisher<P: Publisher>(
    sends count: Int, failing: (() -> any Publisher)? = nil, settle: @escaping () -> Void = {},
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ make: @escaping () -> P
  ) -> [ConformanceViolation] {
    guard count >= 3 else {
      reportIssue(
        "ConformanceChecks.publisher(sends:) requires at least 3 values, got \(count). Nothing was checked.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return []
    }
    var rules = PublisherRuleChecks(count: count, settle: settle, make: make)
    rules.checkAll()
    var findings = rules.findings
    if let failing { findings.add(findingsOfFailing(failing(), settle)) }
    return report(findings.all, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Checks a subscriber by sending it values and a completion.
  ///
  /// ```swift
  /// ConformanceChecks.subscriber(values: [1, 2, 3], failure: Failure(), hasEnded: { $0.hasEnded }) {
  ///   Meter()
  /// }
  /// ```
  ///
  /// If the subscriber requests values after `receive(subscription:)`, pass a `settle` closure that advances time until it has.
  ///
  /// - Parameters:
  ///   - values: The values to send, if the subscriber requests that many. An empty array is reported, and nothing is checked.
  ///   - failure: A failure for some of the checks. Without it, rule 2.10 is skipped.
  ///   - hasEnded: A closure that returns whether a subscriber has accepted the end of its stream. Without it,
  ///     violations of rules 2.9 and 2.10 are detected only if they stop the program.
  ///   - settle: A closure that finishes any scheduled work. Checks call it after they subscribe, send, request, or
  ///     cancel.
  ///   - make: A closure that returns a fresh subscriber.
  /// - Returns: A violation for each violated rule, ordered by rule.
  /// - Complexity: O(*n*), where *n* is the number of values.
  @discardableResult
  public static func subscriber<S: Subscriber>(
    values: [S.Input], failure: S.Failure? = nil, hasEnded: ((S) -> Bool)? = nil,
    settle: @escaping () -> Void = {},
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ make: @escaping () -> S
  ) -> [ConformanceViolation] {
    guard !values.isEmpty else {
      reportIssue(
        "ConformanceChecks.subscriber(values:) requires at least 1 value, got none. Nothing was checked.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return []
    }
    var rules = SubscriberRuleChecks(values: values, failure: failure, hasEnded: hasEnded, settle: settle, make: make)
    rules.checkAll()
    return report(rules.findings.all, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Checks a subject, both as a publisher and as a subscriber.
  ///
  /// A subject must obey the rules for publishers and for subscribers (4.1), and pass a failure on immediately (4.2). To be
  /// checked as a subscriber, it's wrapped in an `AnySubscriber`, which obeys rule 2.3 and others for it.
  ///
  /// ```swift
  /// ConformanceChecks.subject(values: [1, 2, 3], failure: Failure()) { LoggedSubject<Int, Failure>() }
  /// ```
  ///
  /// The subject must deliver each value that it's sent while there's demand, and may send others first, as a
  /// `CurrentValueSubject` does. If it delivers later, pass a `settle` closure that advances time until nothing is left to do.
  ///
  /// - Parameters:
  ///   - values: The values to send. An empty array is reported, and nothing is checked.
  ///   - failure: A failure to send. Without it, rules 1.4, 2.10, and 4.2 are skipped.
  ///   - settle: A closure that finishes any scheduled work. Checks call it after they subscribe, send, request, or
  ///     cancel.
  ///   - make: A closure that returns a fresh subject.
  /// - Returns: A violation for each violated rule, ordered by rule.
  /// - Complexity: O(*n*), where *n* is the number of values.
  @discardableResult
  public static func subject<S: Subject>(
    values: [S.Output], failure: S.Failure? = nil, settle: @escaping () -> Void = {},
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ make: @escaping () -> S
  ) -> [ConformanceViolation] {
    guard !values.isEmpty else {
      reportIssue(
        "ConformanceChecks.subject(values:) requires at least 1 value, got none. Nothing was checked.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return []
    }
    let rules = SubjectRuleChecks(values: values, failure: failure, settle: settle, make: make)
    rules.checkAll()
    return report(rules.findings.all, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  private static func findingsOfFailing(
    _ publisher: some Publisher, _ settle: @escaping () -> Void
  ) -> ConformanceFindings {
    var rules = PublisherRuleChecks(count: 0, settle: settle) { publisher }
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
