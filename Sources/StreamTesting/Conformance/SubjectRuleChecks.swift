internal import StreamSchedulers
import Streams

/// The checks of the rules for subjects, each with fresh subjects: the rules for publishers, for subscribers, and for
/// subjects in particular.
final class SubjectRuleChecks<S: Subject> {
  typealias Probe = ProbeSubscriber<S.Output, S.Failure>

  private let values: [S.Output]
  private let failure: S.Failure?
  private let settle: () -> Void
  private let make: () -> S
  private(set) var findings = ConformanceFindings(S.self)

  /// The number of values that a subscriber receives before anything is sent.
  private var initialCount = 0

  init(values: [S.Output], failure: S.Failure?, settle: @escaping () -> Void, make: @escaping () -> S) {
    // Some checks need three values.
    self.values = (0..<max(3, values.count)).map { values[$0 % values.count] }
    self.failure = failure
    self.settle = settle
    self.make = make
  }

  func checkAll() {
    guard checkSubscription() else { return }
    checkDemand()
    checkSerial()
    checkBothSubscribers()
    checkFailure()
    checkSilence()
    checkCancellation()
    checkRequestAfterCancel()
    checkCancelAgain()
    checkAddition()
    checkRelease()
    checkNewcomers()
    checkUnlimited()
    checkStage()
    checkUpstream()
  }

  private var completions: [Subscribers.Completion<S.Failure>] { [.finished] + (failure.map { [.failure($0)] } ?? []) }

  /// Attaches subscribers to a fresh subject, calls a closure, and returns what the subscribers have recorded.
  ///
  /// Every run also checks the rules on the order of signals: 1.1, 1.3, 1.7, 1.8, 1.9 and 2.12.
  @discardableResult
  private func run(
    _ probes: Probe..., body: (S, [Probe]) -> Void = { _, _ in }
  ) -> [ProbedSignals] {
    let subject = make()
    for probe in probes {
      subject.subscribe(probe)
      settle()
    }
    body(subject, probes)
    settle()
    let records = probes.map(\.record)
    for (probe, record) in zip(probes, records) {
      findings.note(record.violations)
      probe.takeSubscription()?.cancel()
      settle()
    }
    return records
  }

  private func send(to subject: S) {
    for value in values {
      subject.send(value)
      settle()
    }
  }

  private func send(_ completion: Subscribers.Completion<S.Failure>, to subject: S) {
    subject.send(completion: completion)
    settle()
  }

  private func greedy(onValue: @escaping (Probe, Int) -> Subscribers.Demand = { _, _ in .none }) -> Probe {
    Probe(onSubscription: { $0.request(.unlimited) }, onValue: onValue)
  }

  private func checkSubscription() -> Bool {
    let record = run(greedy())[0]
    initialCount = record.valueCount
    if record.subscriptionCount == 0 { findings.note(.subscription, "no subscription arrived") }
    return record.subscriptionCount > 0
  }

  private func checkDemand() {
    run(Probe()) { subject, probes in
      send(to: subject)
      for demand in [Subscribers.Demand.max(1), .max(2)] {
        probes[0].request(demand)
        settle()
        for _ in 1...2 { send(to: subject) }
      }
    }
  }

  private func checkSerial() {
    let value = values[0]
    for sendsEnd in [false, true] {
      var subject: S?
      let probe = greedy { _, number in
        if number > 3 { return .none }
        if sendsEnd { subject?.send(completion: .finished) } else { subject?.send(value) }
        return .none
      }
      run(probe) {
        subject = $0
        $1[0].request(.unlimited)
        send(to: $0)
        subject = nil
      }
    }
  }

  private func checkFailure() {
    guard let failure else { return }
    let record = run(greedy()) { subject, _ in send(.failure(failure), to: subject) }[0]
    if record.completionCount > 0, !record.hasFailed {
      findings.note(.failure, "the subject finished instead")
    }
    // The failure must arrive even though nothing is requested.
    for other in run(Probe(), Probe(), body: { subject, _ in send(.failure(failure), to: subject) })
    where !other.hasFailed && !servesOnlyOne {
      findings.note(.failureOnward, "a subscriber that had requested nothing did not receive the failure")
    }
    if !record.hasFailed, record.completionCount == 0 { findings.note(.failureOnward, "no failure arrived") }
  }

  /// Indicates whether only the first of two subscribers receives signals. If so, that has been reported.
  private var servesOnlyOne: Bool { findings.contains(.secondSubscriber) || findings.contains(.bothSubscribers) }

  private func checkSilence() {
    for completion in completions {
      run(greedy()) { subject, probes in
        send(completion, to: subject)
        send(to: subject)
        for completion in completions { send(completion, to: subject) }
        for step in [ProbeStep.request(.max(1)), .cancel] {
          probes[0].perform(step)
          settle()
        }
      }
    }
  }

  private func checkCancellation() {
    let canceller = Probe(onSubscription: {
      $0.request(.unlimited)
      $0.cancel()
    })
    let early = greedy { probe, _ in
      probe.cancel()
      return .none
    }
    for probe in [canceller, early] {
      run(probe) { subject, _ in
        send(to: subject)
        send(.finished, to: subject)
      }
    }
    // Sends a completion after the value during which the subscriber cancels.
    let initialCount = initialCount
    for completion in completions {
      let last = greedy { probe, number in
        if number == initialCount + 1 { probe.cancel() }
        return .none
      }
      run(last) { subject, _ in
        subject.send(values[0])
        send(completion, to: subject)
      }
    }
  }

  private func checkBothSubscribers() {
    let records = run(greedy(), greedy()) { subject, _ in
      send(to: subject)
      send(.finished, to: subject)
    }
    for (name, record) in zip(["first", "second"], records) {
      if record.subscriptionCount == 0 {
        findings.note(.secondSubscriber, "the \(name) subscriber received no subscription")
      } else if record.valueCount + record.completionCount == 0 {
        findings.note(.bothSubscribers, "the \(name) of two subscribers received neither")
      }
    }
  }

  private func checkRequestAfterCancel() {
    run(Probe()) { subject, probes in
      for step in [ProbeStep.request(.max(1)), .cancel, .request([.max(1), .unlimited])] {
        probes[0].perform(step)
        settle()
      }
      send(to: subject)
      send(.finished, to: subject)
    }
  }

  private func checkCancelAgain() {
    func count(_ steps: [ProbeStep]) -> Int {
      run(greedy(), greedy()) { subject, probes in
        for step in steps { probes[0].perform(step) }
        settle()
        send(to: subject)
      }[1].valueCount
    }
    let (once, twice) = (count([.cancel]), count([.cancel, .cancel]))
    if once != twice {
      findings.note(
        .cancelAgain, "another subscriber received \(twice.of("value")), but \(once) when cancel() was called once")
    }
  }

  private func checkAddition() {
    let initialCount = initialCount
    let record = run(Probe()) { subject, probes in
      for _ in 0..<initialCount + 2 { probes[0].request(.max(1)) }
      settle()
      send(to: subject)
    }[0]
    let expected = initialCount + 2
    if record.valueCount < expected, record.completionCount == 0, !losesValues {
      findings.note(.addition, "\(record.valueCount.of("value")) arrived when \(expected) had been requested")
    }
  }

  private func checkRelease() {
    for isCancelled in [true, false] where isKept(isCancelled: isCancelled) {
      let end = isCancelled ? "cancel()" : "the completion"
      findings.note(.release, "the subscriber was still retained after \(end)")
    }
  }

  private func isKept(isCancelled: Bool) -> Bool {
    let subject = make()
    return Probe.outlivesEnd(of: subject, { greedy() }, settle: settle) { probe in
      send(to: subject)
      if isCancelled { probe.cancel() } else { send(.finished, to: subject) }
      settle()
    }
  }

  private func checkNewcomers() {
    if servesOnlyOne { return }
    for isCancelled in [true, false] {
      let newcomer = greedy()
      run(greedy()) { subject, probes in
        if isCancelled { probes[0].cancel() } else { send(.finished, to: subject) }
        settle()
        subject.subscribe(newcomer)
        settle()
      }
      let record = newcomer.record
      findings.note(record.violations)
      newcomer.takeSubscription()?.cancel()
      if record.subscriptionCount > 0 { continue }
      if isCancelled {
        findings.note(.newcomer, "no subscription arrived after the only subscriber had cancelled")
      } else {
        findings.note(.subscription, "no subscription arrived after the completion")
      }
    }
  }

  private func checkUnlimited() {
    let record = run(Probe()) { subject, probes in
      for demand in [Subscribers.Demand.max(.max), .max(.max)] { probes[0].request(demand) }
      settle()
      send(to: subject)
    }[0]
    let expected = initialCount + values.count
    if record.valueCount < expected, !losesValues {
      findings.note(.unlimited, "\(record.valueCount) of \(expected) arrived")
    }
  }

  /// Indicates whether a subject loses values for which there's demand.
  private lazy var losesValues: Bool = {
    let count = run(greedy()) { subject, _ in send(to: subject) }[0].valueCount
    return count < initialCount + values.count
  }()

  private func checkStage() {
    for completion in completions {
      let records = run(greedy(), greedy()) { subject, _ in
        send(to: subject)
        send(completion, to: subject)
      }
      for record in records where record.valueCount + record.completionCount > 0 {
        let (count, expected) = (record.valueCount, initialCount + values.count)
        if count != expected {
          findings.note(.stage, "\(count) of \(expected.of("value")) arrived")
        } else if record.completionCount == 0, !findings.contains(.failureOnward) {
          findings.note(.stage, "no completion arrived after \(count.of("value"))")
        }
      }
    }
  }

  /// Checks the subject as a subscriber, with a downstream subscriber that requests everything.
  private func checkUpstream() {
    var latest = greedy()
    let (make, settle) = (make, settle)
    var rules = SubscriberRuleChecks<AnySubscriber<S.Output, S.Failure>>(
      culprit: S.self, values: values, failure: failure, hasEnded: { _ in latest.record.completionCount > 0 },
      settle: settle
    ) {
      let subject = make()
      latest = Probe(onSubscription: { $0.request(.unlimited) })
      subject.subscribe(latest)
      settle()
      return AnySubscriber(subject)
    }
    rules.checkAll()
    _ = latest.takeSubscription()
    findings.add(rules.findings)
  }
}
