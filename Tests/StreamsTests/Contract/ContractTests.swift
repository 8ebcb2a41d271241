import Testing

/// Checks every operator against every law of the contract.
@Suite struct ContractTests {
  @Test(arguments: OperatorCatalog.all, Law.allCases)
  func obeys(_ entry: CatalogEntry, _ law: Law) {
    if entry.exemptions[law] == nil { law.check(entry) }
  }

  @Test func `lists every operator once`() {
    let names = OperatorCatalog.all.map(\.name)

    #expect(Set(names).count == names.count)
  }
}

extension Law {
  func check(_ entry: CatalogEntry) {
    switch self {
    case .output: checkOutput(entry)
    case .subscription: checkSubscription(entry)
    case .demand: checkDemand(entry)
    case .demandUpstream: checkDemandUpstream(entry)
    case .serial: checkSerial(entry)
    case .order: checkOrder(entry)
    case .silence: checkSilence(entry)
    case .secondSubscription: checkSecondSubscription(entry)
    case .requestNone: checkRequestNone(entry)
    case .requestAfterCancel: checkRequestAfterCancel(entry)
    case .cancelUpstream: checkCancelUpstream(entry)
    case .cancelInValue: checkCancelInValue(entry)
    case .cancelInSubscription: checkCancelInSubscription(entry)
    case .cancelInClosure: checkCancelInClosure(entry)
    case .cancelInRequest: checkCancelInRequest(entry)
    case .cancelWhileWaiting: checkCancelWhileWaiting(entry)
    case .cancelBefore: checkCancelBefore(entry)
    case .releaseOnFinish: checkRelease(entry) { $0.bench.finish() }
    case .releaseOnFailure:
      checkRelease(entry) { trial in
        for _ in 0..<3 where !trial.subscriber.hasEnded { trial.bench.fail() }
        if !trial.subscriber.hasEnded { trial.bench.finish() }
      }
    case .releaseOnCancel: checkRelease(entry) { $0.cancel() }
    case .releaseOfClosures: checkReleaseOfClosures(entry)
    case .releasePublisher: checkReleasePublisher(entry)
    case .recursion: checkRecursion(entry)
    case .valueDeinit: checkValueDeinit(entry)
    case .subscriptionDeinit: checkSubscriptionDeinit(entry)
    case .failure: checkFailure(entry)
    case .thrown: checkThrown(entry)
    case .fewer: checkFewer(entry)
    case .over: checkOver(entry)
    case .twoSubscribers: checkTwoSubscribers(entry)
    case .endForGood: checkEndForGood(entry)
    case .lateValues: checkLateValues(entry)
    case .endWithoutDemand: checkEndWithoutDemand(entry)
    case .requestInside: checkRequestInside(entry)
    case .addition: checkAddition(entry)
    case .insideRequests: checkInsideRequests(entry)
    case .cancelInLastValue: checkCancelInLastValue(entry)
    case .newcomer: checkNewcomer(entry)
    case .unlimited: checkUnlimited(entry)
    }
  }
}
