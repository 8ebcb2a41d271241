import Testing

/// Checks every operator against every law of the contract.
@Suite(.namingWhatIsChecked) struct ContractTests {
  @Test(arguments: OperatorCatalog.all)
  func `an operator obeys the laws`(_ entry: CatalogEntry) {
    for law in Law.allCases where entry.exemptions[law] == nil {
      Checked.$what.withValue("\(entry.name): \(law.rawValue)") { law.check(entry) }
    }
  }

  @Test(arguments: Law.allCases)
  func `a law applies to most operators`(_ law: Law) {
    #expect(OperatorCatalog.all.count { $0.exemptions[law] == nil } > OperatorCatalog.all.count / 2)
  }

  @Test func `lists every operator once`() {
    let names = OperatorCatalog.all.map(\.name)

    #expect(Set(names).count == names.count)
  }
}

/// What is being checked. A single test checks many laws, or many operators.
enum Checked {
  @TaskLocal static var what: String?
}

extension Trait where Self == IssueHandlingTrait {
  /// Adds what is being checked to issues.
  static var namingWhatIsChecked: Self {
    .compactMapIssues { issue in
      // The trait is applied to the suite and to the test.
      guard let what = Checked.what, issue.comments.last?.rawValue != what else { return issue }
      var issue = issue
      issue.comments.append("\(what)")
      return issue
    }
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
    case .contexts: if areContextsCarried { checkContexts(entry) }
    }
  }
}
