internal import StreamSchedulers
import Streams

/// The checks of the rules for subscribers, each with fresh subscribers.
struct SubscriberRuleChecks<S: Subscriber> {
  private let values: [S.Input]
  private let failure: S.Failure?
  private let hasEnded: ((S) -> Bool)?
  private let settle: () -> Void
  private let make: () -> S
  private(set) var findings: ConformanceFindings

  init(
    culprit: Any.Type = S.self, values: [S.Input], failure: S.Failure?, hasEnded: ((S) -> Bool)?,
    settle: @escaping () -> Void, make: @escaping () -> S
  ) {
    self.values = values
    self.failure = failure
    self.hasEnded = hasEnded
    self.settle = settle
    self.make = make
    findings = ConformanceFindings(culprit)
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
    checkCancelling()
    checkLateEnd(.finished)
    if let failure { checkLateEnd(.failure(failure)) }
    checkValueInside()
    checkCompletionInsideRequest()
  }

  /// Attaches a fresh subscriber to a fresh subscription.
  private func start() -> (subscriber: S, subscription: ProbeSubscription) {
    let (subscriber, subscription) = (make(), ProbeSubscription())
    subscriber.receive(subscription: subscription)
    settle()
    return (subscriber, subscription)
  }

  /// Sends the values, up to the requested number, and returns how many it sent.
  @discardableResult
  private func serve(_ subscriber: S, _ subscription: ProbeSubscription) -> Int {
    var count = 0
    for value in values where subscription.spend() {
      count += 1
      subscription.add(subscriber.receive(value))
      settle()
    }
    return count
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
    // Time hasn't advanced: a subscriber that requests later hasn't done so yet.
    guard subscription.record.cancelCount == 0 else { return }
    if end(subscriber, subscription, completion) == false { findings.note(rule, "the subscriber had not ended") }
  }

  /// Ends a stream and checks that the subscription isn't called any more. Returns whether the subscriber accepted the
  /// end.
  @discardableResult
  private mutating func end(
    _ subscriber: S, _ subscription: ProbeSubscription, _ completion: Subscribers.Completion<S.Failure>
  ) -> Bool? {
    subscription.end { subscriber.receive(completion: completion) }
    settle()
    let isTaken = hasEnded?(subscriber)
    // A subscriber that hasn't accepted the end may well cancel.
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

  private mutating func checkCancelling() {
    for isServed in [false, true] {
      let (subscriber, subscription) = start()
      if isServed { serve(subscriber, subscription) }
      guard subscription.record.cancelCount == 0, let cancellable = subscriber as? any Cancellable else { continue }
      cancellable.cancel()
      settle()
      if subscription.record.cancelCount == 0 {
        findings.note(.cancelling, "its cancel() did not cancel the subscription")
      }
    }
  }

  /// Delivers a completion that was on its way when the subscriber cancelled.
  private mutating func checkLateEnd(_ completion: Subscribers.Completion<S.Failure>) {
    let (subscriber, subscription) = start()
    serve(subscriber, subscription)
    if subscription.record.cancelCount == 0 { (subscriber as? any Cancellable)?.cancel() }
    settle()
    guard subscription.record.cancelCount > 0 else { return }
    subscription.end { subscriber.receive(completion: completion) }
    settle()
    findings.note(subscription.record.violations)
  }

  private mutating func checkValueInside() {
    let (laterSubscriber, laterSubscription) = start()
    let expected = serve(laterSubscriber, laterSubscription)
    let subscriber = make()
    let stream = SynchronousStream(values)
    let subscription = ProbeSubscription { subscription in
      stream.send(while: subscription.spend) { subscription.add(subscriber.receive($0)) }
    }
    subscriber.receive(subscription: subscription)
    settle()
    findings.note(subscription.record.violations)
    if stream.count != expected {
      findings.note(
        .valueInside, "the subscriber requested \(stream.count.of("such value")), but \(expected) that came later")
    }
  }

  private mutating func checkCompletionInsideRequest() {
    let subscriber = make()
    let hasEnded = Locked(false)
    let subscription = ProbeSubscription { subscription in
      let isFirst = hasEnded.withLock { hasEnded in
        let isFirst = !hasEnded
        hasEnded = true
        return isFirst
      }
      if isFirst { subscription.deliverEnd { subscriber.receive(completion: .finished) } }
    }
    subscriber.receive(subscription: subscription)
    settle()
    guard hasEnded.withLock({ $0 }), subscription.record.cancelCount == 0 else { return }
    // Calls from here on are violations of rule 2.4, which has been checked with a completion that comes later.
    subscription.end {}
    let isTaken = self.hasEnded?(subscriber)
    if isTaken != false { (subscriber as? any Cancellable)?.cancel() }
    settle()
    if isTaken == false, !findings.contains(.completionAtOnce) {
      findings.note(.endInside, "the subscriber had not ended")
    } else if let seen = subscription.record.violations[.endForGood], !findings.contains(.endForGood) {
      findings.note(.endInside, seen)
    }
  }
}

/// Values that are delivered from inside requests, one after the other.
private final class SynchronousStream<Value> {
  private let state: Locked<(rest: [Value].SubSequence, isSending: Bool, count: Int)>

  init(_ values: [Value]) { state = Locked((values[...], false, 0)) }

  var count: Int { state.withLock { $0.count } }

  /// Delivers values while a closure that subtracts from the demand returns `true`.
  func send(while hasDemand: () -> Bool, to deliver: (Value) -> Void) {
    let isFirst = state.withLock {
      let isFirst = !$0.isSending
      $0.isSending = true
      return isFirst
    }
    // A request from inside a value's delivery is served by the call that delivers the value.
    guard isFirst else { return }
    while hasDemand() {
      let value = state.withLock {
        if !$0.rest.isEmpty { $0.count += 1 }
        return $0.rest.popFirst()
      }
      guard let value else { break }
      deliver(value)
    }
    state.withLock { $0.isSending = false }
  }
}
