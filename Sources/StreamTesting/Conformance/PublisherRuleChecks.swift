internal import StreamSchedulers
import Streams

/// The checks of the rules for publishers, each with fresh publishers.
struct PublisherRuleChecks<P: Publisher> {
  typealias Probe = ProbeSubscriber<P.Output, P.Failure>

  private let count: Int
  private let settle: () -> Void
  private let make: () -> P
  private(set) var findings = ConformanceFindings(P.self)

  init(count: Int, settle: @escaping () -> Void, make: @escaping () -> P) {
    self.count = count
    self.settle = settle
    self.make = make
  }

  /// Checks all rules except the one about failures.
  mutating func checkAll() {
    // Without a subscription nothing else can be checked.
    guard checkSubscription() else { return }
    checkDemand()
    checkSerial()
    checkCompletion()
    checkFewer()
    checkOver()
    checkSilence()
    checkCancellation()
    checkSecondSubscriber()
    checkBothSubscribers()
    checkRequestInside()
    checkRecursion()
    checkCallsDuringValue()
    checkRequestAfterCancel()
    checkCancelAgain()
    checkAddition()
    checkRelease()
    checkNewcomer()
    checkUnlimited()
  }

  /// Runs a subscriber through a sequence of steps with a fresh publisher.
  ///
  /// Every run also checks the rules on the order of signals: 1.1, 1.3, 1.7, 1.8, 1.9 and 2.12.
  @discardableResult
  private mutating func run(
    _ steps: ProbeStep..., onSubscription: @escaping (Probe) -> Void = { _ in },
    onValue: @escaping (Probe, Int) -> Subscribers.Demand = { _, _ in .none }
  ) -> ProbedSignals {
    let probe = Probe(onSubscription: onSubscription, onValue: onValue)
    let publisher = make()
    publisher.subscribe(probe)
    settle()
    for step in steps {
      probe.perform(step)
      settle()
    }
    return withExtendedLifetime(publisher) { dismiss(probe) }
  }

  /// Ends a run and returns what was recorded until then.
  private mutating func dismiss(_ probe: Probe) -> ProbedSignals {
    let record = probe.record
    findings.note(record.violations)
    probe.takeSubscription()?.cancel()
    settle()
    return record
  }

  private mutating func checkSubscription() -> Bool {
    let record = run()
    if record.subscriptionCount == 0 { findings.note(.subscription, "no subscription arrived") }
    return record.subscriptionCount > 0
  }

  private mutating func checkDemand() {
    // Other checks cover requests from inside `receive(_:)`.
    run(.request(.max(1)), .request(.max(1)), .request(.max(1)))
  }

  private mutating func checkSerial() {
    // Other checks cover requests of other amounts from inside `receive(_:)`.
    run(
      .request(.max(1)),
      onValue: { probe, _ in
        probe.request(.max(2))
        return .none
      })
  }

  mutating func checkFailure() {
    let record = run(.request(.unlimited), .request(.max(1)), .cancel)
    if record.completionCount == 0 {
      findings.note(.failure, "no failure arrived")
    } else if !record.hasFailed {
      findings.note(.failure, "the publisher finished instead")
    }
  }

  private mutating func checkCompletion() {
    for demand in [Subscribers.Demand.unlimited, .max(count)] {
      let record = run(.request(demand))
      let values = "\(record.valueCount.of("value")) of \(count)"
      if record.hasFailed {
        findings.note(.completion, "the publisher failed after \(values)")
      } else if record.valueCount > count {
        findings.note(.completion, "\(record.valueCount.of("value")) arrived where \(count) were expected")
      } else if record.completionCount == 0, record.valueCount == count {
        findings.note(.completion, "no completion arrived after \(values)")
      } else if record.completionCount > 0, record.valueCount < count {
        findings.note(.completion, "the publisher finished after \(values)")
      }
    }
  }

  private mutating func checkFewer() {
    // A publisher that never finishes has been reported.
    if findings.contains(.completion) { return }
    let record = run(.request(.max(count + 1)))
    if record.hasFailed || record.completionCount == 0 {
      let end = record.hasFailed ? "the publisher failed" : "no completion arrived"
      findings.note(
        .fewer, "\(end) after \(record.valueCount.of("value")) when \((count + 1).of("value")) had been requested")
    }
  }

  private mutating func checkOver() {
    let untouched = runBesideSecondSubscriber(that: [.request(.unlimited)])
    let touched = runBesideSecondSubscriber(that: [.request(.unlimited), .cancel])
    let (count, expected) = (touched.second.valueCount, untouched.second.valueCount)
    if touched.first.completionCount > 0, count != expected {
      findings.note(
        .over,
        "after a cancel() that followed the completion, another subscriber received \(count.of("value")) of \(expected)"
      )
    }
  }

  private mutating func checkSilence() {
    run(.request(.max(count)), .request(.max(1)), .cancel)
  }

  private mutating func checkCancellation() {
    run(onSubscription: { probe in
      // The values may arrive later.
      probe.request(.unlimited)
      probe.cancel()
    })
    run(
      .request(.unlimited),
      onValue: { probe, _ in
        probe.cancel()
        return .none
      })
    // Cancels from inside the delivery of the last value, however that value was requested: the completion must not
    // follow either.
    let count = count
    for demand in [Subscribers.Demand.unlimited, .max(count), .max(1)] {
      run(
        .request(demand),
        onValue: { probe, number in
          if number < count { return demand == 1 ? .max(1) : .none }
          probe.cancel()
          return .none
        })
    }
  }

  private mutating func checkSecondSubscriber() {
    if runBesideSecondSubscriber(that: []).second.subscriptionCount == 0 {
      findings.note(.secondSubscriber, "the second subscriber received no subscription")
    }
  }

  private mutating func checkBothSubscribers() {
    let (first, second) = runBesideSecondSubscriber(that: [.request(.unlimited)])
    for (name, record) in [("first", first), ("second", second)]
    where record.subscriptionCount > 0 && record.valueCount + record.completionCount == 0 {
      findings.note(.bothSubscribers, "the \(name) of two subscribers received neither")
    }
  }

  private mutating func checkRequestInside() {
    let first = run(onSubscription: { $0.request(.max(1)) }).valueCount
    if first < 1 { findings.note(.requestInside, "no value arrived after receive(subscription:) had requested 1") }
    let record = run(
      .request(.max(1)),
      onValue: { probe, number in
        if number == 1 { probe.request(.max(1)) }
        return .none
      })
    if record.valueCount == 1 {
      findings.note(.requestInside, "only 1 value arrived, although receive(_:) had requested another")
    }
  }

  private mutating func checkRecursion() {
    for isReturned in [false, true] {
      let record = run(
        .request(.max(1)),
        onValue: { probe, _ in
          if isReturned { return .max(1) }
          probe.request(.max(1))
          return .none
        })
      guard let growth = record.growthOfStack else { continue }
      let means = isReturned ? "the demand that receive(_:) returns" : "request(_:) from inside receive(_:)"
      findings.note(
        .recursion, "with requests by \(means), the stack grew by \(growth) bytes in \(record.valueCount.of("value"))")
    }
  }

  private mutating func checkCallsDuringValue() {
    for (rule, call) in [(ConformanceRule.requestReturns, "request(_:)"), (.cancelReturns, "cancel()")] {
      let caller = CallOnAnotherThread()
      run(
        .request(.max(2)),
        onValue: { probe, number in
          if number == 1 { caller.call { rule == .requestReturns ? probe.request(.max(1)) : probe.cancel() } }
          return .none
        })
      if caller.hasWaited() {
        findings.note(rule, "a \(call) on another thread did not return before the delivery had ended")
      }
    }
  }

  private mutating func checkRequestAfterCancel() {
    run(.request(.max(1)), .cancel, .request(.max(1)), .request(.unlimited))
  }

  private mutating func checkCancelAgain() {
    let once = runBesideSecondSubscriber(that: [.request(.max(1)), .cancel]).second.valueCount
    let twice = runBesideSecondSubscriber(that: [.request(.max(1)), .cancel, .cancel]).second.valueCount
    if once != twice {
      findings.note(
        .cancelAgain, "another subscriber received \(twice.of("value")), but \(once) when cancel() was called once")
    }
  }

  /// Performs steps with a publisher's first subscriber, and then requests unlimited demand with a second subscriber.
  private mutating func runBesideSecondSubscriber(that steps: [ProbeStep]) -> (
    first: ProbedSignals, second: ProbedSignals
  ) {
    let (first, second, publisher) = (Probe(), Probe(), make())
    for probe in [first, second] {
      publisher.subscribe(probe)
      settle()
    }
    for step in steps {
      first.perform(step)
      settle()
    }
    second.perform(.request(.unlimited))
    settle()
    return withExtendedLifetime(publisher) {
      let record = dismiss(first)
      return (record, dismiss(second))
    }
  }

  private mutating func checkAddition() {
    let records = [
      run(.request([.max(1), .max(2)])),
      run(.request(.max(1)), .request(.max(2))),
      run(.request(.max(2)), onValue: { _, number in number == 1 ? .max(1) : .none }),
    ]
    for record in records where record.valueCount < 3 && record.completionCount == 0 {
      findings.note(
        .addition, "\(record.valueCount.of("value")) arrived when \(record.asked.max ?? 0) had been requested")
    }
  }

  private mutating func checkRelease() {
    if isKept(after: .cancel) { findings.note(.release, "the subscriber was still retained after cancel()") }
    if isKept(after: .request(.unlimited)) {
      findings.note(.release, "the subscriber was still retained after the completion")
    }
  }

  private func isKept(after step: ProbeStep) -> Bool {
    Probe.outlivesEnd(of: make(), { Probe() }, settle: settle) { probe in
      for step in [.request(.max(1)), step] {
        probe.perform(step)
        settle()
      }
    }
  }

  private mutating func checkNewcomer() {
    // A publisher that serves one subscriber only has been reported.
    if findings.contains(.secondSubscriber) { return }
    if subscriptionCount(after: .cancel) == 0 {
      findings.note(.newcomer, "no subscription arrived after the only subscriber had cancelled")
    }
    if subscriptionCount(after: .request(.unlimited)) == 0 {
      findings.note(.subscription, "no subscription arrived after another subscriber had received the completion")
    }
  }

  /// Returns the number of subscriptions that a second subscriber receives after the first one has performed a step.
  private mutating func subscriptionCount(after step: ProbeStep) -> Int {
    let (first, second, publisher) = (Probe(), Probe(), make())
    publisher.subscribe(first)
    settle()
    for step in [.request(.max(1)), step] {
      first.perform(step)
      settle()
    }
    publisher.subscribe(second)
    settle()
    return withExtendedLifetime(publisher) {
      _ = dismiss(first)
      return dismiss(second).subscriptionCount
    }
  }

  private mutating func checkUnlimited() {
    var records = [run(.request(.unlimited), onValue: { _, number in number == 1 ? .max(1) : .none })]
    for demand in [Subscribers.Demand.unlimited, .max(.max)] {
      records.append(
        run(
          .request(demand),
          onValue: { probe, number in
            if number == 1 { probe.request(demand) }
            return .none
          }))
    }
    for record in records where record.valueCount < count && record.completionCount == 0 {
      findings.note(.unlimited, "\(record.valueCount.of("value")) of \(count) arrived")
    }
  }
}
