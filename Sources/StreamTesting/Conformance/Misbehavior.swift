/// A way in which a ``MisbehavingPublisher`` departs from what most subscribers expect.
///
/// Most of them violate one ``rule`` of the contract. The last three don't violate any, but few publishers behave that
/// way, so subscribers are rarely prepared for it. A well-made subscriber or operator doesn't stop the program, never
/// sends more downstream than the contract permits, and does what each case describes.
///
/// Signals from another thread come at a fixed moment: the thread that caused them waits until they've been received,
/// so every run of a test is the same. No case waits for real time, unless a subscriber holds a lock.
/// ``MisbehavingPublisher`` describes what happens then.
public enum Misbehavior: CaseIterable, Hashable, Sendable {
  // MARK: Demand

  /// Answers the first request with all values and the completion, regardless of the requested amount.
  ///
  /// Violates rule 1.1. An operator that counts demand or buffers values doesn't pass on more values than its
  /// downstream has requested. One that forwards each value may leave that to downstream. A subscriber doesn't trap
  /// when its count of outstanding demand falls below zero. After a request for unlimited demand, this is correct
  /// behavior.
  case sendsBeyondDemand

  /// Sends one value more than requested: it counts one as requested as soon as `receive(subscription:)` has returned.
  ///
  /// So a subscriber that hasn't requested anything receives a value. Violates rule 1.1. As with ``sendsBeyondDemand``,
  /// an operator that counts demand doesn't pass the value on before it's requested, and a subscriber doesn't trap.
  case sendsWithoutDemand

  // MARK: Order

  /// Sends the next value from inside the delivery of another, on the same thread.
  ///
  /// This happens when the subscriber calls `request(_:)` during the delivery, or the test calls
  /// ``MisbehavingPublisher/overlap()``, if demand is outstanding. The nested value is received before `receive(_:)`
  /// has returned for the first one. A third value is never nested in it. Violates rule 1.3. An operator that holds a
  /// lock or modifies its state in place while it calls other code would deadlock or stop here, and should either queue
  /// the second value or stop with a message that names the mistake.
  case nestsValues

  /// Sends the next value from another thread while one is being delivered.
  ///
  /// This happens at the same moments as with ``nestsValues``. The calling thread waits there until the other thread
  /// has returned from `receive(_:)`, so two threads are inside the subscriber at the same time. Violates rule 1.3. A
  /// subscriber should queue the second value or stop with a message, as with ``nestsValues``. ThreadSanitizer reports
  /// state that isn't behind a lock.
  case overlapsOnAnotherThread

  /// Sends the completion from inside the delivery of the last value.
  ///
  /// This happens at the same moments as with ``nestsValues``. Otherwise, the completion follows the last value, as it
  /// should. Violates rule 1.3. An operator that releases its state at the completion has to tolerate that its
  /// `receive(_:)` is still running.
  case completesDuringValue

  // MARK: Ending

  /// Sends its last value again, right after the completion.
  ///
  /// Without values, it doesn't send anything after the completion. Violates rule 1.7. A subscriber that has ended
  /// ignores it.
  case sendsAfterCompletion

  /// Sends the completion twice, one right after the other.
  ///
  /// Violates rule 1.7. A subscriber that has ended ignores the second one, so downstream receives only one.
  case completesTwice

  // MARK: Subscription

  /// Doesn't send anything, not even a subscription.
  ///
  /// Violates rule 1.9. A subscriber remembers requests and a cancellation until a subscription arrives, and releases
  /// what it holds when it's cancelled or released.
  case sendsNoSubscription

  /// Sends its values and the completion from inside `receive(subscriber:)`, without a subscription.
  ///
  /// Violates rule 1.9. A subscriber needn't handle the values, but must not force-unwrap the missing subscription.
  /// This package's subscribers handle them, like Combine's.
  case sendsWithoutSubscription

  /// Sends its first value before the subscription, and then all values as it should, including the first one.
  ///
  /// Violates rule 1.9. As with ``sendsWithoutSubscription``, a subscriber must not force-unwrap the missing
  /// subscription.
  case sendsBeforeSubscription

  /// Sends the completion before the subscription, and afterward its values and the completion again.
  ///
  /// Violates rule 1.9. A subscriber that treats the first completion as the end cancels the subscription when it
  /// arrives, and ignores the rest.
  case completesBeforeSubscription

  /// Sends a second subscription when `receive(subscription:)` has returned for the first one.
  ///
  /// The second one doesn't send anything, and ignores requests and cancellations. Violates rule 2.12. A subscriber
  /// cancels the second subscription (2.5), and continues to use the first one for requests and for its own
  /// cancellation.
  case sendsSecondSubscription

  // MARK: Cancelling

  /// Continues after a cancellation until the outstanding demand has been served, and sends the completion if no value
  /// is left.
  ///
  /// Requests after the cancellation have no effect. Without a scheduler, only a cancellation from inside `receive(_:)`
  /// or `receive(subscription:)` reveals it, because nothing is outstanding at other times. Violates rule 1.8. A
  /// subscriber that has cancelled ignores further signals, and doesn't request more values (2.8).
  case ignoresCancellation

  /// Sends one more value when it's cancelled, if it has one left, regardless of demand.
  ///
  /// It sends the value from inside `cancel()`, or, if a delivery is in progress, right after the delivery. Violates
  /// rule 1.8. As with ``ignoresCancellation``, a subscriber ignores the value and doesn't request more. An operator
  /// that calls `cancel()` while it holds a lock would deadlock here.
  case sendsFromCancel

  /// Sends the completion when it's cancelled.
  ///
  /// It does so at the same moments as ``sendsFromCancel``. Violates rule 1.8. A subscriber that has cancelled ignores
  /// the completion.
  case completesFromCancel

  // MARK: Releasing

  /// Retains its subscribers after they have cancelled, for as long as the publisher exists.
  ///
  /// Violates rule 3.13. A subscriber releases its closures, its buffers, and its downstream when it's cancelled, so
  /// little is retained with it.
  case retainsSubscriberAfterCancel

  /// Retains its subscribers after the completion, for as long as the publisher exists.
  ///
  /// Violates rule 3.13. A subscriber should also release its closures, its buffers, and its downstream when it
  /// receives its completion.
  case retainsSubscriberAfterCompletion

  // MARK: Permitted

  /// Serves a request from inside `receive(subscription:)` before that function returns, even with the completion.
  ///
  /// Doesn't violate a rule of Reactive Streams (3.10, 3.11), but the publishers of this package wait until
  /// `receive(subscription:)` has returned. A subscriber stores the subscription and prepares its own state before it
  /// requests anything. Has no effect on a publisher that sends its values on a scheduler.
  case sendsInsideSubscription

  /// Sends every second value, and the completion, from another thread.
  ///
  /// The signals don't overlap: the next one is sent when the one before has been received. Doesn't violate a rule. A
  /// subscriber doesn't assume a particular thread.
  case changesThreads

  /// Sends one more value from another thread when it's cancelled, if it has one left, regardless of demand.
  ///
  /// It does so at the same moments as ``sendsFromCancel``, and the other thread has returned before `cancel()` does,
  /// or before the next request is served. Doesn't violate a rule: the value may have been on its way. As with
  /// ``ignoresCancellation``, a subscriber ignores the value and doesn't request more.
  case sendsLateOnAnotherThread

  /// The number of the violated rule of Reactive Streams, such as `1.1`, as in ``ConformanceViolation/rule``, or `nil`
  /// if no rule is violated.
  public var rule: String? { violatedRule?.rawValue }

  /// The names of the tests of the Reactive Streams Technology Compatibility Kit that check the rule, as in
  /// ``ConformanceViolation/identifiers``.
  package var identifiers: [String] { violatedRule?.identifiers ?? [] }

  private var violatedRule: ConformanceRule? {
    switch self {
    case .sendsBeyondDemand, .sendsWithoutDemand: .demand
    case .nestsValues, .overlapsOnAnotherThread, .completesDuringValue: .serial
    case .sendsAfterCompletion, .completesTwice: .silence
    case .sendsNoSubscription, .sendsWithoutSubscription, .sendsBeforeSubscription, .completesBeforeSubscription:
      .subscription
    case .sendsSecondSubscription: .oneSubscription
    case .ignoresCancellation, .sendsFromCancel, .completesFromCancel: .cancellation
    case .retainsSubscriberAfterCancel, .retainsSubscriberAfterCompletion: .release
    case .sendsInsideSubscription, .changesThreads, .sendsLateOnAnotherThread: nil
    }
  }
}
