/// The names of the tests in the Reactive Streams Technology Compatibility Kit 1.0.4, grouped by the rule that they
/// check.
///
/// They're names only: nothing was taken from the kit's code.
package enum ConformanceIdentifiers {
  /// The names of the 91 tests for publishers and subscribers and of the 3 tests for processors, by rule number.
  ///
  /// Tests that don't belong to a rule have the key `""`.
  package static let byRule: [String: [String]] = [
    "": [
      "required_validate_maxElementsFromPublisher",
      "required_validate_boundedDepthOfOnNextAndRequestRecursion",
      "required_createPublisher1MustProduceAStreamOfExactly1Element",
      "required_createPublisher3MustProduceAStreamOfExactly3Elements",
      "required_exerciseWhiteboxHappyPath",
    ],
    "1.1": ["required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements"],
    "1.2": ["required_spec102_maySignalLessThanRequestedAndTerminateSubscription"],
    "1.3": ["stochastic_spec103_mustSignalOnMethodsSequentially"],
    "1.4": ["optional_spec104_mustSignalOnErrorWhenFails"],
    "1.5": [
      "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates",
      "optional_spec105_emptyStreamMustTerminateBySignallingOnComplete",
    ],
    "1.6": ["untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled"],
    "1.7": [
      "required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled",
      "untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled",
    ],
    "1.8": ["untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals"],
    "1.9": [
      "untested_spec109_subscribeShouldNotThrowNonFatalThrowable",
      "required_spec109_subscribeThrowNPEOnNullSubscriber",
      "required_spec109_mustIssueOnSubscribeForNonNullSubscriber",
      "required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThem"
        + "RejectionMustTriggerOnErrorAfterOnSubscribe",
    ],
    "1.10": ["untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice"],
    "1.11": [
      "optional_spec111_maySupportMultiSubscribe",
      "optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals",
      multicast + "WhenRequestingOneByOne",
      multicast + "WhenRequestingManyUpfront",
      multicast + "WhenRequestingManyUpfrontAndCompleteAsExpected",
    ],
    "2.1": twice("required_spec201_", "mustSignalDemandViaSubscriptionRequest"),
    "2.2": twice("untested_spec202_", "shouldAsynchronouslyDispatch"),
    "2.3": twice("required_spec203_", "mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete")
      + twice("required_spec203_", "mustNotCallMethodsOnSubscriptionOrPublisherInOnError"),
    "2.4": twice("untested_spec204_", "mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError"),
    "2.5": twice(
      "required_spec205_",
      "mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal"),
    "2.6": twice("untested_spec206_", "mustCallSubscriptionCancelIfItIsNoLongerValid"),
    "2.7": twice(
      "untested_spec207_",
      "mustEnsureAllCallsOnSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization"),
    "2.8": [
      "required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel",
      "untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel",
    ],
    "2.9": twice("required_spec209_", "mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall")
      + twice("required_spec209_", "mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall"),
    "2.10": twice("required_spec210_", "mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall")
      + twice("required_spec210_", "mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall"),
    "2.11": twice(
      "untested_spec211_", "mustMakeSureThatAllCallsOnItsMethodsHappenBeforeTheProcessingOfTheRespectiveEvents"),
    "2.12": [
      "untested_spec212_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality_specViolation",
      "untested_spec212_blackbox_mustNotCallOnSubscribeMoreThanOnceBasedOnObjectEquality",
    ],
    "2.13": twice("untested_spec213_", "failingOnSignalInvocation")
      + twice("required_spec213_", "onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull")
      + twice("required_spec213_", "onNext_mustThrowNullPointerExceptionWhenParametersAreNull")
      + twice("required_spec213_", "onError_mustThrowNullPointerExceptionWhenParametersAreNull"),
    "3.1": twice("untested_spec301_", "mustNotBeCalledOutsideSubscriberContext"),
    "3.2": ["required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe"],
    "3.3": ["required_spec303_mustNotAllowUnboundedRecursion"],
    "3.4": ["untested_spec304_requestShouldNotPerformHeavyComputations"],
    "3.5": ["untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation"],
    "3.6": ["required_spec306_afterSubscriptionIsCancelledRequestMustBeNops"],
    "3.7": ["required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops"],
    "3.8": [
      "required_spec308_requestMustRegisterGivenNumberElementsToBeProduced",
      "untested_spec308_blackbox_requestMustRegisterGivenNumberElementsToBeProduced",
    ],
    "3.9": [
      "required_spec309_requestZeroMustSignalIllegalArgumentException",
      "required_spec309_requestNegativeNumberMustSignalIllegalArgumentException",
      "optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage",
    ],
    "3.10": twice("untested_spec310_", "requestMaySynchronouslyCallOnNextOnSubscriber"),
    "3.11": twice("untested_spec311_", "requestMaySynchronouslyCallOnCompleteOrOnError"),
    "3.12": ["required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling"],
    "3.13": ["required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber"],
    "3.14": twice("untested_spec314_", "cancelMayCauseThePublisherToShutdownIfNoOtherSubscriptionExists"),
    "3.15": twice("untested_spec315_", "cancelMustNotThrowExceptionAndMustSignalOnError"),
    "3.16": twice("untested_spec316_", "requestMustNotThrowExceptionAndMustOnErrorTheSubscriber"),
    "3.17": [
      "required_spec317_mustSupportAPendingElementCountUpToLongMaxValue",
      "required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue",
      "required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue",
    ],
    "4.1": ["required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo"],
    "4.2": [
      "mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream",
      "optional_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError",
    ],
  ]

  private static let multicast =
    "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribers"

  /// Returns the two names of a test that exists in a white-box and a black-box version.
  private static func twice(_ prefix: String, _ name: String) -> [String] {
    [prefix + name, "\(prefix)blackbox_\(name)"]
  }
}
