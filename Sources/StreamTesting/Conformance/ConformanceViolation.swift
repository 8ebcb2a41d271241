internal import StreamSchedulers

/// A publisher's or subscriber's violation of a Reactive Streams rule.
///
/// ```swift
/// let violations = ConformanceChecks.publisher(sends: 5) { Countdown(from: 5) }
/// #expect(violations.map(\.rule) == ["1.1"])
/// ```
public struct ConformanceViolation: Hashable, Sendable, CustomStringConvertible {
  /// The number of the Reactive Streams rule, such as `1.1`.
  public let rule: String

  /// The type that violates the rule, what the rule requires, and what was observed.
  public let message: String

  /// The names of the rule's tests in the Reactive Streams Technology Compatibility Kit for the JVM.
  ///
  /// ```swift
  /// violation.identifiers   // ["required_spec303_mustNotAllowUnboundedRecursion"]
  /// ```
  public let identifiers: [String]

  init(_ rule: ConformanceRule, by culprit: String, seen: String) {
    self.rule = rule.rawValue
    identifiers = rule.identifiers
    message = "\(culprit) violates rule \(rule.rawValue), which requires that \(rule.demand): \(seen)."
  }

  /// The message.
  public var description: String { message }
}

/// The rules that are checked, in the order in which violations are reported.
enum ConformanceRule: String, CaseIterable {
  case demand = "1.1"
  case fewer = "1.2"
  case serial = "1.3"
  case failure = "1.4"
  case completion = "1.5"
  case over = "1.6"
  case silence = "1.7"
  case cancellation = "1.8"
  case subscription = "1.9"
  case secondSubscriber = "1.10"
  case bothSubscribers = "1.11"
  case asking = "2.1"
  case endWithoutTouch = "2.3"
  case endForGood = "2.4"
  case secondSubscription = "2.5"
  case cancelling = "2.6"
  case valueAfterCancel = "2.8"
  case completionAtOnce = "2.9"
  case failureAtOnce = "2.10"
  case oneSubscription = "2.12"
  case requestInside = "3.2"
  case recursion = "3.3"
  case requestReturns = "3.4"
  case cancelReturns = "3.5"
  case requestAfterCancel = "3.6"
  case cancelAgain = "3.7"
  case addition = "3.8"
  case askingForNone = "3.9"
  case valueInside = "3.10"
  case endInside = "3.11"
  case release = "3.13"
  case newcomer = "3.14"
  case unlimited = "3.17"
  case stage = "4.1"
  case failureOnward = "4.2"

  /// The numbers of the rules that this case stands for.
  var numbers: [String] { self == .cancellation ? [rawValue, "3.12"] : [rawValue] }

  /// The names of the kit's tests that check the rule.
  var identifiers: [String] { numbers.flatMap { ConformanceIdentifiers.byRule[$0] ?? [] } }

  /// What the rule requires, phrased as a clause that follows "that".
  var demand: String {
    switch self {
    case .demand: "a publisher sends no more values than were requested"
    case .fewer: "a publisher that has fewer values than were requested sends them and finishes"
    case .serial: "signals to one subscriber never overlap"
    case .failure: "a publisher that fails sends its failure"
    case .completion: "a publisher finishes once all its values have been delivered"
    case .over: "a subscription that has ended is over, for other subscribers as well"
    case .silence: "no signal follows the completion"
    case .cancellation: "cancel() stops all signals (see also rule 3.12)"
    case .subscription: "a subscriber receives a subscription, before any other signal"
    case .secondSubscriber: "a publisher accepts a second, different subscriber"
    case .bothSubscribers: "each subscriber that is accepted receives values or a completion"
    case .asking: "a subscriber requests the values that it wants"
    case .endWithoutTouch: "receive(completion:) does not call the subscription"
    case .endForGood: "a subscriber does not call its subscription after the completion"
    case .secondSubscription: "a second subscription is cancelled and the first one continues"
    case .cancelling: "a subscriber that needs no more values cancels its subscription"
    case .valueAfterCancel: "a subscriber accepts values that arrive after it has cancelled"
    case .completionAtOnce: "a subscriber accepts a completion without a preceding request"
    case .failureAtOnce: "a subscriber accepts a failure without a preceding request"
    case .oneSubscription: "a subscriber receives one subscription only"
    case .requestInside: "requests from inside receive(subscription:) and receive(_:) are honored"
    case .recursion: "requesting one value after another does not deepen the stack"
    case .requestReturns: "request(_:) returns while a value is being delivered"
    case .cancelReturns: "cancel() returns while a value is being delivered"
    case .requestAfterCancel: "request(_:) does nothing after cancel()"
    case .cancelAgain: "a second cancel() does nothing"
    case .addition: "demand adds up"
    case .askingForNone: "a subscriber never requests .none"
    case .valueInside: "a subscriber accepts values that are delivered from inside request(_:)"
    case .endInside: "a subscriber accepts a completion that is delivered from inside request(_:)"
    case .release: "the subscriber is released after the completion or cancellation"
    case .newcomer: "a publisher whose only subscriber has cancelled sends the next one a subscription"
    case .unlimited: "unlimited demand delivers all values"
    case .stage: "a subject delivers what it receives to each subscriber that has requested it"
    case .failureOnward: "a subject passes a failure on to each subscriber immediately"
    }
  }
}

/// The observed violations of one publisher or subscriber type.
struct ConformanceFindings {
  private var violations: [ConformanceRule: ConformanceViolation] = [:]
  private let culprit: String

  init(_ culprit: Any.Type) { self.culprit = "\(culprit)" }

  var all: [ConformanceViolation] { ConformanceRule.allCases.compactMap { violations[$0] } }

  /// Adds a violation, unless there's already one of the same rule: one example is enough.
  mutating func note(_ rule: ConformanceRule, _ seen: String) {
    if violations[rule] == nil { violations[rule] = ConformanceViolation(rule, by: culprit, seen: seen) }
  }

  mutating func note(_ seen: [ConformanceRule: String]) {
    for (rule, seen) in seen { note(rule, seen) }
  }

  func contains(_ rule: ConformanceRule) -> Bool { violations[rule] != nil }

  mutating func add(_ other: ConformanceFindings) {
    violations.merge(other.violations) { first, _ in first }
  }
}

extension Int {
  /// Returns the number followed by a word in the singular or plural: `1 value`, `2 values`.
  func of(_ word: String) -> String { self == 1 ? "1 \(word)" : "\(self) \(word)s" }
}
