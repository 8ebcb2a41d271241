/// A way in which a ``MisbehavingPublisher`` departs from what most subscribers expect.
///
/// Most cases violate one ``rule`` of the contract. The last three don't violate any, but few publishers behave that way. A
/// subscriber or operator shouldn't stop the program, must not send more downstream than the contract permits, and should do what
/// each case describes.
///
/// A signal from another thread comes at a fixed point: the thread that caused it waits until the subscriber has received it, so
/// every run is the same. No case waits for real time, unless a subscriber holds a lock, as ``MisbehavingPublisher`` describes.
public enum Misbehavior: CaseIterable, Hashable, Sendable {
  // MARK: Demand

  /// Answers the first request with all values and the completion, regardless of the requested amount.
  ///
  /// Violates rule 1.1. An operator that counts demand or buffers values must not pass on more values than its
  /// downstream has requested. An operator that forwards each value may leave that to downstream. A subscriber must not
  /// trap when its count of outstanding demand falls below zero. If the first request is for unlimited demand, this is
  /// correct behavior.
  case sendsBeyondDemand

  /// Sends one more value than requested: it treats one value as requested once `receive(subscription:)` has returned.
  ///
  /// Violates rule 1.1. As with ``sendsBeyondDemand``, an operator that counts demand must not pass the value on before it's
  /// requested, and a subscriber must not trap.
  case sendsWithoutDemand

  // MARK: Order

  /// Sends the next value from inside another value's delivery, on the same thread.
  ///
  /// This happens when the subscriber calls `request(_:)` during the delivery, or the test calls
  /// ``MisbehavingPublisher/overlap()``, if demand is outstanding and a value is left. A third value is never nested in the
  /// second. Violates rule 1.3. An operator that holds a lock or modifies its state in place while it calls other code would
  /// deadlock or stop here. It should queue the second value, or stop with a message that names the mistake.
  case nestsValues

  /// Sends the next value from another thread while a value is being delivered.
  ///
  /// The conditions are the same as for ``nestsValues``. The calling thread waits until the other thread has returned from
  /// `receive(_:)`. Violates rule 1.3. A subscriber should queue the second value, or stop with a message that names the mistake.
  /// ThreadSanitizer reports state that isn't protected by a lock.
  case overlapsOnAnotherThread

  /// Sends the completion from inside the delivery of the last value.
  ///
  /// The conditions are the same as for ``nestsValues``, except that neither demand nor another value is needed. Otherwise, the
  /// completion follows the last value, as it should. Violates rule 1.3. An operator that releases its state at the completion
  /// has to tolerate that its `receive(_:)` is still running.
  case completesDuringValue

  // MARK: Ending

  /// Sends its last value again, right after the completion.
  ///
  /// If there are no values, nothing follows the completion. Violates rule 1.7. A subscriber that has ended must ignore
  /// the value.
  case sendsAfterCompletion

  /// Sends the completion twice, one right after the other.
  ///
  /// Violates rule 1.7. A subscriber that has ended must ignore the second completion, so downstream receives only one.
  case completesTwice

  // MARK: Subscription

  /// Doesn't send anything, not even a subscription.
  ///
  /// Violates rule 1.9. A subscriber should remember requests and a cancellation until a subscription arrives, and
  /// release what it holds when it's cancelled or released.
  case sendsNoSubscription

  /// Sends its values and the completion from inside `receive(subscriber:)`, without a subscription.
  ///
  /// Violates rule 1.9. A subscriber needn't handle the values, but must not force-unwrap the missing subscription.
  /// Like Combine's subscribers, those in this package handle them.
  case sendsWithoutSubscription

  /// Sends its first value before the subscription, and afterward all values as requested, including the first one.
  ///
  /// Violates rule 1.9. As with ``sendsWithoutSubscription``, a subscriber must not force-unwrap the missing
  /// subscription.
  case sendsBeforeSubscription

  /// Sends the completion before the subscription, and afterward its values and the completion again.
  ///
  /// Violates rule 1.9. A subscriber that treats the first completion as the end should cancel the subscription when it
  /// arrives, and ignore the rest.
  case completesBeforeSubscription

  /// Sends a second subscription after `receive(subscription:)` has returned for the first one.
  ///
  /// The second one doesn't send anything, and ignores requests and cancellations. Violates rule 2.12. A subscriber
  /// must cancel the second subscription (2.5), and continue to use the first one for requests and for its own
  /// cancellation.
  case sendsSecondSubscription

  // MARK: Cancelling

  /// Continues after a cancellation until the outstanding demand has been served, and sends the completion if no value
  /// is left.
  ///
  /// Requests after the cancellation have no effect. Without a scheduler, only a cancellation from inside `receive(_:)`
  /// or `receive(subscription:)` reveals this, because no demand can be served at other times. Violates rule 1.8. A
  /// subscriber that has cancelled must ignore further signals and not request more values (2.8).
  case ignoresCancellation

  /// Sends one more value on cancellation, if one is left, regardless of demand.
  ///
  /// It sends the value from inside `cancel()`, or, if a delivery is in progress, right after the delivery. Violates
  /// rule 1.8. As with ``ignoresCancellation``, a subscriber must ignore the value and not request more. An operator
  /// that holds a lock while it calls `cancel()` would deadlock here.
  case sendsFromCancel

  /// Sends the completion on cancellation.
  ///
  /// This happens at the same point as in ``sendsFromCancel``. Violates rule 1.8. A subscriber that has cancelled must ignore the
  /// completion.
  case completesFromCancel

  // MARK: Releasing

  /// Retains its subscribers after they have cancelled, for as long as the publisher exists.
  ///
  /// Violates rule 3.13. A subscriber should release its closures, its buffers, and its downstream when it's cancelled.
  case retainsSubscriberAfterCancel

  /// Retains its subscribers after the completion, for as long as the publisher exists.
  ///
  /// Violates rule 3.13. A subscriber should release its closures, its buffers, and its downstream then.
  case retainsSubscriberAfterCompletion

  // MARK: Permitted

  /// Serves a request from inside `receive(subscription:)` before that function returns, even with the completion.
  ///
  /// Doesn't violate a Reactive Streams rule (3.10, 3.11), but this package's publishers wait until
  /// `receive(subscription:)` has returned. A subscriber should store the subscription and prepare its own state before
  /// it requests anything. Has no effect on a publisher that sends its values on a scheduler.
  case sendsInsideSubscription

  /// Sends every second value, and the completion, from another thread.
  ///
  /// The signals don't overlap: each one is sent when the previous one has been received. Doesn't violate a rule. A
  /// subscriber must not assume a particular thread.
  case changesThreads

  /// Sends one more value from another thread on cancellation, if one is left, regardless of demand.
  ///
  /// It sends the value during `cancel()`, or, if a delivery is in progress, right after the delivery, and waits until
  /// the value has been received. Doesn't violate a rule: the value may have been on its way. As with
  /// ``ignoresCancellation``, a subscriber must ignore the value and not request more.
  case sendsLateOnAnotherThread

  /// The number of the violated rule, as in ``ConformanceViolation/rule``, or `nil` for none.
  public var rule: String? { violatedRule?.rawValue }

  /// The names of the rule's tests, as in ``ConformanceViolation/identifiers``.
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
