import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import StreamsTestSupport
import Testing

// The rules of Reactive Streams 1.0.4, against everything that is public. The tests have the names of those of the Technology
// Compatibility Kit, so that whoever knows them finds them. `ReactiveStreamsRules` lists those that have no counterpart here.

extension Law {
  /// Checks a law that an entry does not claim to be exempt from.
  fileprivate func verify(_ entry: CatalogEntry) {
    if entry.exemptions[self] == nil { check(entry) }
  }
}

/// Publishers, operators and subjects, by the names of the kit's `PublisherVerification` and
/// `IdentityProcessorVerification`.
@Suite struct ReactiveStreamsPublisherTests {
  @Test(arguments: OperatorCatalog.all)
  func required_createPublisher1MustProduceAStreamOfExactly1Element(_ entry: CatalogEntry) { Law.output.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_createPublisher3MustProduceAStreamOfExactly3Elements(_ entry: CatalogEntry) { Law.output.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements(_ entry: CatalogEntry) {
    Law.demand.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec102_maySignalLessThanRequestedAndTerminateSubscription(_ entry: CatalogEntry) {
    Law.fewer.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func stochastic_spec103_mustSignalOnMethodsSequentially(_ entry: CatalogEntry) { Law.serial.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func optional_spec104_mustSignalOnErrorWhenFails(_ entry: CatalogEntry) { Law.failure.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates(_ entry: CatalogEntry) {
    Law.output.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func optional_spec105_emptyStreamMustTerminateBySignallingOnComplete(_ entry: CatalogEntry) {
    Law.output.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled(_ entry: CatalogEntry) {
    Law.over.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled(_ entry: CatalogEntry) {
    Law.silence.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled(_ entry: CatalogEntry) {
    Law.silence.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals(_ entry: CatalogEntry) {
    Law.cancelInLastValue.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec109_mustIssueOnSubscribeForNonNullSubscriber(_ entry: CatalogEntry) {
    Law.subscription.verify(entry)
  }

  // swift-format-ignore
  @Test(arguments: OperatorCatalog.all)
  func required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThemRejectionMustTriggerOnErrorAfterOnSubscribe(
    _ entry: CatalogEntry
  ) { Law.twoSubscribers.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func optional_spec111_maySupportMultiSubscribe(_ entry: CatalogEntry) { Law.twoSubscribers.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals(_ entry: CatalogEntry) {
    Law.twoSubscribers.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe(_ entry: CatalogEntry) {
    Law.requestInside.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec303_mustNotAllowUnboundedRecursion(_ entry: CatalogEntry) { Law.recursion.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec306_afterSubscriptionIsCancelledRequestMustBeNops(_ entry: CatalogEntry) {
    Law.requestAfterCancel.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops(_ entry: CatalogEntry) {
    Law.cancelUpstream.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec309_requestZeroMustSignalIllegalArgumentException(_ entry: CatalogEntry) {
    Law.requestNone.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling(_ entry: CatalogEntry) {
    Law.cancelInValue.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber(_ entry: CatalogEntry) {
    Law.releaseOnCancel.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec317_mustSupportAPendingElementCountUpToLongMaxValue(_ entry: CatalogEntry) {
    Law.unlimited.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue(_ entry: CatalogEntry) {
    Law.unlimited.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue(_ entry: CatalogEntry) {
    Law.unlimited.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo(_ entry: CatalogEntry) {
    Law.addition.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream(_ entry: CatalogEntry) {
    Law.failure.verify(entry)
  }

  @Test(arguments: multicasting)
  func
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne(
      _ entry: CatalogEntry
    )
  { checkMulticast(entry, .max(1)) }

  @Test(arguments: multicasting)
  func
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront(
      _ entry: CatalogEntry
    )
  { checkMulticast(entry, .unlimited) }

  @Test(arguments: multicasting)
  func
    optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected(
      _ entry: CatalogEntry
    )
  { checkMulticast(entry, .unlimited, finishes: true) }

  @Test(arguments: multicasting)
  func optional_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError(_ entry: CatalogEntry) {
    if entry.exemptions[.failure] != nil { return }
    let (bench, subscribers) = attachTwo(to: entry, .unlimited)
    bench.fail()

    for subscriber in subscribers { #expect(subscriber.events.last == "failed") }
  }

  @Test(.ownThread, arguments: OperatorCatalog.all)
  func untested_spec304_requestShouldNotPerformHeavyComputations(_ entry: CatalogEntry) {
    checkCallInValue(entry) { $0.request(.max(1)) }
  }

  @Test(.ownThread, arguments: OperatorCatalog.all)
  func untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation(_ entry: CatalogEntry) {
    checkCallInValue(entry) { $0.cancel() }
  }

  /// Entries with one source for all subscribers.
  private static let multicasting = OperatorCatalog.all.filter {
    [
      "PassthroughSubject", "CurrentValueSubject", "ReplaySubject", "BoundedSubject", "share", "share(replay:)",
      "PassthroughRelay", "CurrentValueRelay", "ReplayRelay", "@Published", "ObservableObjectPublisher",
    ].contains($0.name)
  }

  private func attachTwo(
    to entry: CatalogEntry, _ demand: Subscribers.Demand
  ) -> (Bench, [ProbeSubscriber]) {
    let bench = Bench()
    let publisher = entry.build(bench)
    let subscribers = (1...2).map { _ in
      let subscriber = ProbeSubscriber()
      subscriber.onSubscription = { $0.request(demand) }
      if demand == 1 { subscriber.onValue = { _ in .max(1) } }
      publisher.subscribe(subscriber)
      return subscriber
    }
    return (bench, subscribers)
  }

  private func checkMulticast(_ entry: CatalogEntry, _ demand: Subscribers.Demand, finishes: Bool = false) {
    let (bench, subscribers) = attachTwo(to: entry, demand)
    bench.play()
    if finishes { bench.finish() }

    #expect(subscribers[0].values.count >= 3)
    #expect(subscribers[0].events == subscribers[1].events)
    if finishes, entry.ends { #expect(subscribers[0].hasEnded) }
    for subscriber in subscribers { subscriber.subscription?.cancel() }
  }

  /// Makes a call on another thread while a value is being delivered, which waits for it: a call that waited for the
  /// delivery would hang.
  private func checkCallInValue(_ entry: CatalogEntry, _ call: @escaping (any Subscription) -> Void) {
    var isCalled = false
    let trial = Trial(entry, demand: .max(2)) { _, subscriber in
      subscriber.onValue = { subscription in
        if isCalled { return .none }
        isCalled = true
        // Safe despite `nonisolated(unsafe)`: this thread waits meanwhile.
        nonisolated(unsafe) let (call, subscription) = (call, subscription)
        onAnotherThread { call(subscription) }
        return .none
      }
    }
    trial.bench.play()
    trial.bench.finish()
    trial.cancel()

    #expect(!trial.subscriber.hasOverlapped)
    #expect(isCalled || trial.subscriber.values.isEmpty)
  }
}

/// The subscribers inside operators, by the names of the kit's `SubscriberWhiteboxVerification`: the sources of the bench see
/// what an operator does with its subscription.
@Suite struct ReactiveStreamsWhiteboxTests {
  @Test(arguments: OperatorCatalog.all)
  func required_exerciseWhiteboxHappyPath(_ entry: CatalogEntry) { Law.output.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec201_mustSignalDemandViaSubscriptionRequest(_ entry: CatalogEntry) { Law.output.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete(_ entry: CatalogEntry) {
    Law.endForGood.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnError(_ entry: CatalogEntry) {
    Law.endForGood.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec204_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError(
    _ entry: CatalogEntry
  ) { Law.endForGood.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec205_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal(
    _ entry: CatalogEntry
  ) { Law.secondSubscription.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid(_ entry: CatalogEntry) {
    Law.cancelUpstream.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel(_ entry: CatalogEntry) {
    Law.lateValues.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall(_ entry: CatalogEntry) {
    Law.output.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall(_ entry: CatalogEntry) {
    Law.endWithoutDemand.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall(_ entry: CatalogEntry) {
    Law.failure.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall(_ entry: CatalogEntry) {
    Law.endWithoutDemand.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec212_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality_specViolation(_ entry: CatalogEntry) {
    Law.subscription.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec213_failingOnSignalInvocation(_ entry: CatalogEntry) { Law.silence.verify(entry) }

  @Test(arguments: OperatorCatalog.all)
  func required_spec308_requestMustRegisterGivenNumberElementsToBeProduced(_ entry: CatalogEntry) {
    Law.addition.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec310_requestMaySynchronouslyCallOnNextOnSubscriber(_ entry: CatalogEntry) {
    Law.insideRequests.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec311_requestMaySynchronouslyCallOnCompleteOrOnError(_ entry: CatalogEntry) {
    Law.insideRequests.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec314_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists(_ entry: CatalogEntry) {
    Law.newcomer.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec315_cancelMustNotThrowExceptionAndMustSignalOnError(_ entry: CatalogEntry) {
    Law.cancelInRequest.verify(entry)
  }

  @Test(arguments: OperatorCatalog.all)
  func untested_spec316_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber(_ entry: CatalogEntry) {
    Law.requestInside.verify(entry)
  }
}

/// The public subscribers, by the names of the kit's `SubscriberBlackboxVerification`.
@MainActor @Suite struct ReactiveStreamsBlackboxTests {
  private func expect(_ entry: SubscriberEntry, obeys rule: String) {
    let (violations, _) = IssueReporter.withCapture { entry.violations() }
    #expect(violations.filter { $0.rule == rule } == [])
  }

  @Test(arguments: SubscriberCatalog.all)
  func `conforms to all rules`(_ entry: SubscriberEntry) { #expect(entry.violations() == []) }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest(_ entry: SubscriberEntry) {
    expect(entry, obeys: "2.1")
  }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete(_ entry: SubscriberEntry) {
    expect(entry, obeys: "2.3")
  }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError(_ entry: SubscriberEntry) {
    expect(entry, obeys: "2.3")
  }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.4") }

  @Test(arguments: SubscriberCatalog.all)
  func
    required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal(
      _ entry: SubscriberEntry
    )
  { expect(entry, obeys: "2.5") }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec206_blackbox_mustCallSubscriptionCancelIfItIsNoLongerValid(_ entry: SubscriberEntry) {
    expect(entry, obeys: "2.6")
  }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.8") }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.9") }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.9") }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.10") }

  @Test(arguments: SubscriberCatalog.all)
  func required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall(
    _ entry: SubscriberEntry
  ) { expect(entry, obeys: "2.10") }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec212_blackbox_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality(_ entry: SubscriberEntry) {
    expect(entry, obeys: "2.12")
  }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec213_blackbox_failingOnSignalInvocation(_ entry: SubscriberEntry) { expect(entry, obeys: "2.13") }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber(_ entry: SubscriberEntry) {
    expect(entry, obeys: "3.10")
  }

  @Test(arguments: SubscriberCatalog.all)
  func untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError(_ entry: SubscriberEntry) {
    expect(entry, obeys: "3.11")
  }
}
