internal import StreamSchedulers
import Streams

/// Checks the rules for subscribers, each with fresh subscribers.
struct SubscriberRules<S: Subscriber> {
  private let values: [S.Input]
  private let failure: S.Failure?
  private let hasEnded: ((S) -> Bool)?
  private let settle: () -> Void
  private let make: () -> S
  private(set) var findings = ConformanceFindings(S.self)

  init(
    values: [S.Input], failure: S.Failure?, hasEnded: ((S) -> Bool)?, settle: @escaping () -> Void,
    make: @escaping () -> S
  ) {
    self.values = values
    self.failure = failure
    self.hasEnded = hasEnded
    self.settle = settle
    self.make = make
  }

  mutating func checkAll() {
    checkAsking()
    checkEnd(.finished)
    checkEndAtOnce(.finished, .completionAtOnce)
    if let failure {
      checkEnd(.failure(failure))
      checkEndAtOnce(.failure(failure), .failureAtOnce)
    }
    checkSecondSubscription()
    checkValueAfterCancel()
  }

  /// Attaches a fresh subscriber to a fresh subscription.
  private func start() -> (subscriber: S, subscription: ProbeSubscription) {
    let (subscriber, subscription) = (make(), ProbeSubscription())
    subscriber.receive(subscription: subscription)
    settle()
    return (subscriber, subscription)
  }

  /// Sends the values, as many as were requested.
  private func serve(_ subscriber: S, _ subscription: ProbeSubscription) {
    for value in values where subscription.spend() {
      subscription.add(subscriber.receive(value))
      settle()
    }
  }

  private mutating func checkAsking() {
    let (subscriber, subscription) = start()
    if subscription.record.requestCount == 0, subscription.record.cancelCount == 0 {
      findings.note(.asking, "the subscriber requested no values")
    }
    serve(subscriber, subscription)
    findings.note(subscription.record.violations)
  }

  private mutating func checkEnd(_ completion: Subscribers.Completion<S.Failure>) {
    let (subscriber, subscription) = start()
    serve(subscriber, subscription)
    if subscription.record.cancelCount == 0 { end(subscriber, subscription, completion) }
  }

  private mutating func checkEndAtOnce(_ completion: Subscribers.Completion<S.Failure>, _ rule: ConformanceRule) {
    let (subscriber, subscription) = (make(), ProbeSubscription())
    subscriber.receive(subscription: subscription)
    // Time has not advanced: a subscriber that requests later has not done so yet.
    guard subscription.record.cancelCount == 0 else { return }
    if end(subscriber, subscription, completion) == false { findings.note(rule, "the subscriber had not ended") }
  }

  /// Ends a stream and checks that the subscription is not called any more; returns whether the subscriber accepted the
  /// end.
  @discardableResult
  private mutating func end(
    _ subscriber: S, _ subscription: ProbeSubscription, _ completion: Subscribers.Completion<S.Failure>
  ) -> Bool? {
    subscription.end { subscriber.receive(completion: completion) }
    settle()
    let isTaken = hasEnded?(subscriber)
    // A subscriber that has not accepted the end may well cancel.
    if isTaken != false { (subscriber as? any Cancellable)?.cancel() }
    settle()
    findings.note(subscription.record.violations)
    return isTaken
  }

  private mutating func checkSecondSubscription() {
    let (subscriber, first) = start()
    guard first.record.cancelCount == 0 else { return }
    let second = ProbeSubscription()
    subscriber.receive(subscription: second)
    settle()
    if first.record.cancelCount > 0 { findings.note(.secondSubscription, "the first subscription was cancelled") }
    serve(subscriber, first)
    findings.note(first.record.violations)
    let record = second.record
    if record.cancelCount != 1 {
      findings.note(
        .secondSubscription, "the second subscription was cancelled \(record.cancelCount.of("time"))")
    } else if record.requestCount > 0 {
      findings.note(
        .secondSubscription,
        "the subscriber requested values from the second subscription \(record.requestCount.of("time"))")
    }
  }

  private mutating func checkValueAfterCancel() {
    let (subscriber, subscription) = start()
    serve(subscriber, subscription)
    if subscription.record.cancelCount == 0 { (subscriber as? any Cancellable)?.cancel() }
    settle()
    guard subscription.record.cancelCount > 0 else { return }
    let before = subscription.record.requestCount
    // Values that were requested before the cancellation may still arrive.
    for value in values where subscription.spendLate() {
      _ = subscriber.receive(value)
      settle()
    }
    findings.note(subscription.record.violations)
    let calls = subscription.record.requestCount - before
    if calls > 0 {
      findings.note(.valueAfterCancel, "such values made the subscriber request more \(calls.of("time"))")
    }
  }
}
