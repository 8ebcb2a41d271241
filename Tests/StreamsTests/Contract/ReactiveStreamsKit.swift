/// What covers a test of the Technology Compatibility Kit for the JVM. The article `ReactiveStreams.md` shows the same.
enum KitCoverage {
  /// A law, which `ContractTests` checks for every operator.
  case law(Law)

  /// The rule of this number, which `ReactiveStreamsTests` checks for every public subscriber.
  case checks(String)

  /// A test of `ReactiveStreamsTests`.
  case test(String)

  /// What does not apply, or is verified elsewhere.
  case reason(String)
}

/// The tests of the Technology Compatibility Kit 1.0.4, so that whoever knows their names finds what covers them.
///
/// Tests with `blackbox` in their names are about the public subscribers, those without about the subscribers inside
/// operators, whose sources on the bench see what an operator does with its subscription.
enum ReactiveStreamsKit {
  static let tests: KeyValuePairs<String, KitCoverage> = [
    "required_validate_maxElementsFromPublisher": .reason("tests the kit's own parameters"),
    "required_validate_boundedDepthOfOnNextAndRequestRecursion": .reason("tests the kit's own parameters"),
    "required_createPublisher1MustProduceAStreamOfExactly1Element": .law(.output),
    "required_createPublisher3MustProduceAStreamOfExactly3Elements": .law(.output),
    "required_exerciseWhiteboxHappyPath": .law(.output),
    "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements": .law(.demand),
    "required_spec102_maySignalLessThanRequestedAndTerminateSubscription": .law(.fewer),
    "stochastic_spec103_mustSignalOnMethodsSequentially": .law(.serial),
    "optional_spec104_mustSignalOnErrorWhenFails": .law(.failure),
    "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates": .law(.output),
    "optional_spec105_emptyStreamMustTerminateBySignallingOnComplete": .law(.output),
    "untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled": .law(.over),
    "required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled": .law(.silence),
    "untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled": .law(.silence),
    "untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals": .law(.cancelInLastValue),
    "untested_spec109_subscribeShouldNotThrowNonFatalThrowable": .reason("`subscribe(_:)` can't throw"),
    "required_spec109_subscribeThrowNPEOnNullSubscriber": .reason("no parameter can be `nil`"),
    "required_spec109_mustIssueOnSubscribeForNonNullSubscriber": .law(.subscription),
    "required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThemRejectionMust"
      + "TriggerOnErrorAfterOnSubscribe": .law(.twoSubscribers),
    "untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice":
      .reason("callers have to obey this rule; see 2.5"),
    "optional_spec111_maySupportMultiSubscribe": .law(.twoSubscribers),
    "optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals": .law(.twoSubscribers),
    "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne":
      .test("subscribers of one source receive the same"),
    "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhen"
      + "RequestingManyUpfront": .test("subscribers of one source receive the same"),
    "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhen"
      + "RequestingManyUpfrontAndCompleteAsExpected": .test("subscribers of one source receive the same"),
    "required_spec201_mustSignalDemandViaSubscriptionRequest": .law(.output),
    "required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest": .checks("2.1"),
    "untested_spec202_shouldAsynchronouslyDispatch": .reason(
      "a recommendation; how long your closures take is up to you"),
    "untested_spec202_blackbox_shouldAsynchronouslyDispatch": .reason(
      "a recommendation; how long your closures take is up to you"),
    "required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete": .law(.endForGood),
    "required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete": .checks("2.3"),
    "required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnError": .law(.endForGood),
    "required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError": .checks("2.3"),
    "untested_spec204_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError": .law(.endForGood),
    "untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError":
      .checks("2.4"),
    "required_spec205_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal":
      .law(.secondSubscription),
    "required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnother"
      + "OnSubscribeSignal": .checks("2.5"),
    "untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid": .law(.cancelUpstream),
    "untested_spec206_blackbox_mustCallSubscriptionCancelIfItIsNoLongerValid": .checks("2.6"),
    "untested_spec207_mustEnsureAllCallsOnSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization":
      .reason("explored: `merge: request ∥ cancel`, and the same for each operator with several sources"),
    "untested_spec207_blackbox_mustEnsureAllCallsOnSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization":
      .reason("explored: `merge: request ∥ cancel`, and the same for each operator with several sources"),
    "required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel": .law(.lateValues),
    "untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel": .checks("2.8"),
    "required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall": .law(.output),
    "required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall": .checks("2.9"),
    "required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall": .law(.endWithoutDemand),
    "required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall": .checks("2.9"),
    "required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall": .law(.failure),
    "required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall": .checks("2.10"),
    "required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall": .law(.endWithoutDemand),
    "required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall": .checks("2.10"),
    "untested_spec211_mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents":
      .reason("explored: each scenario reports signals without an order"),
    "untested_spec211_blackbox_mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents":
      .reason("explored: each scenario reports signals without an order"),
    "untested_spec212_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality_specViolation": .law(.subscription),
    "untested_spec212_blackbox_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality": .checks("2.12"),
    "untested_spec213_failingOnSignalInvocation": .law(.silence),
    "untested_spec213_blackbox_failingOnSignalInvocation":
      .reason("the compiler verifies that no signal throws; a subscriber that stops the program stops the checks, too"),
    "required_spec213_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull":
      .reason("no parameter can be `nil`"),
    "required_spec213_blackbox_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull":
      .reason("no parameter can be `nil`"),
    "required_spec213_onNext_mustThrowNullPointerExceptionWhenParametersAreNull": .reason("no parameter can be `nil`"),
    "required_spec213_blackbox_onNext_mustThrowNullPointerExceptionWhenParametersAreNull":
      .reason("no parameter can be `nil`"),
    "required_spec213_onError_mustThrowNullPointerExceptionWhenParametersAreNull": .reason("no parameter can be `nil`"),
    "required_spec213_blackbox_onError_mustThrowNullPointerExceptionWhenParametersAreNull":
      .reason("no parameter can be `nil`"),
    "untested_spec301_mustNotBeCalledOutsideSubscriberContext":
      .reason("any thread may call a subscription; explored: `subject: request ∥ cancel`"),
    "untested_spec301_blackbox_mustNotBeCalledOutsideSubscriberContext":
      .reason("any thread may call a subscription; explored: `subject: request ∥ cancel`"),
    "required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe": .law(.requestInside),
    "required_spec303_mustNotAllowUnboundedRecursion": .law(.recursion),
    "untested_spec304_requestShouldNotPerformHeavyComputations":
      .test("a request waits for no delivery of another thread"),
    "untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation":
      .test("a cancellation waits for no delivery of another thread"),
    "required_spec306_afterSubscriptionIsCancelledRequestMustBeNops": .law(.requestAfterCancel),
    "required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops": .law(.cancelUpstream),
    "required_spec308_requestMustRegisterGivenNumberElementsToBeProduced": .law(.addition),
    "untested_spec308_blackbox_requestMustRegisterGivenNumberElementsToBeProduced":
      .reason("a rule of publishers; see the test without `blackbox`"),
    "required_spec309_requestZeroMustSignalIllegalArgumentException": .law(.requestNone),
    "required_spec309_requestNegativeNumberMustSignalIllegalArgumentException":
      .reason("you can't create a negative demand: `Demand.max(_:)` stops the program (`DemandTests`)"),
    "optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage":
      .reason("you can't create a negative demand: `Demand.max(_:)` stops the program (`DemandTests`)"),
    "untested_spec310_requestMaySynchronouslyCallOnNextOnSubscriber": .law(.insideRequests),
    "untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber": .checks("3.10"),
    "untested_spec311_requestMaySynchronouslyCallOnCompleteOrOnError": .law(.insideRequests),
    "untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError": .checks("3.11"),
    "required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling": .law(.cancelInValue),
    "required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber": .law(.releaseOnCancel),
    "untested_spec314_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists": .law(.newcomer),
    "untested_spec314_blackbox_cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists":
      .reason("a rule of publishers; see the test without `blackbox`"),
    "untested_spec315_cancelMustNotThrowExceptionAndMustSignalOnError": .law(.cancelInRequest),
    "untested_spec315_blackbox_cancelMustNotThrowExceptionAndMustSignalOnError":
      .reason("a rule of publishers; see the test without `blackbox`"),
    "untested_spec316_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber": .law(.requestInside),
    "untested_spec316_blackbox_requestMustNotThrowExceptionAndMustOnErrorTheSubscriber":
      .reason("a rule of publishers; see the test without `blackbox`"),
    "required_spec317_mustSupportAPendingElementCountUpToLongMaxValue": .law(.unlimited),
    "required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue": .law(.unlimited),
    "required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue": .law(.unlimited),
    "required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo": .law(.addition),
    "mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream": .law(.failure),
    "optional_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError":
      .test("a failure reaches all subscribers of one source"),
  ]
}
