/// How one rule of Reactive Streams is verified. The article `ReactiveStreams.md` shows the same.
struct ReactiveStreamsRule {
  let number: String

  /// The laws that each entry of the catalog is checked against.
  var laws: [Law] = []

  /// Scenarios of the explorer, which runs threads in every order.
  var scenarios: [String] = []

  /// Tests with real threads, which also run under ThreadSanitizer.
  var races: [String] = []

  /// What is not verified, or does not apply, and why.
  var reason: String?
}

enum ReactiveStreamsRules {
  /// The 43 rules in their order.
  static let all: [ReactiveStreamsRule] = [
    .init(
      number: "1.1",
      laws: [.demand, .demandUpstream],
      scenarios: ["subject: send ∥ request ∥ request, limited"],
      races: ["delivers no more than requested while requests race with values"]),
    .init(number: "1.2", laws: [.fewer]),
    .init(
      number: "1.3",
      laws: [.serial, .order],
      scenarios: ["subject: send ∥ send ∥ send", "merge: send ∥ send to the other"],
      races: ["merge delivers no value ahead of waiting ones"]),
    .init(number: "1.4", laws: [.failure, .thrown]),
    .init(
      number: "1.5",
      laws: [.output],
      scenarios: ["subject: send ∥ complete"],
      races: ["completes every subscriber exactly once"]),
    .init(number: "1.6", laws: [.over]),
    .init(
      number: "1.7",
      laws: [.silence],
      scenarios: ["subject: complete ∥ complete"],
      races: ["completes every subscriber exactly once"]),
    .init(
      number: "1.8",
      laws: [
        .cancelInValue,
        .cancelInSubscription,
        .cancelInClosure,
        .cancelInRequest,
        .cancelWhileWaiting,
        .cancelBefore,
      ],
      scenarios: ["subject: send ∥ cancel"],
      races: ["delivers nothing that is sent after cancel() has returned"]),
    .init(number: "1.9", laws: [.subscription], scenarios: ["subject: subscribe with a first request ∥ send ∥ send"]),
    .init(
      number: "1.10",
      laws: [.twoSubscribers],
      reason:
        "callers have to obey this rule; a subscriber that is attached twice cancels its second subscription (2.5)"),
    .init(
      number: "1.11",
      laws: [.twoSubscribers],
      scenarios: ["subject: subscribe ∥ subscribe"],
      races: ["delivers every value to every subscriber in the same order"]),
    .init(number: "2.1", laws: [.output]),
    .init(number: "2.2", reason: "a recommendation; how long your closures take is up to you"),
    .init(number: "2.3", laws: [.endForGood]),
    .init(number: "2.4", laws: [.endForGood, .cancelUpstream]),
    .init(number: "2.5", laws: [.secondSubscription]),
    .init(
      number: "2.6",
      laws: [.cancelUpstream, .cancelInValue],
      scenarios: ["sink: subscribe ∥ cancel"],
      races: ["cancels upstream once when many threads cancel"]),
    .init(
      number: "2.7",
      scenarios: [
        "subject: request ∥ request",
        "merge: request ∥ request",
        "merge: request ∥ cancel",
        "sequence: request ∥ request ∥ cancel",
      ],
      races: ["a sequence publishes the values that several threads request"],
      reason: "the package doesn't rely on this: its subscriptions may be called from several threads at the same "
        + "time (rule 14 of the contract), and no single run can prove that a subscriber doesn't"),
    .init(
      number: "2.8",
      laws: [.lateValues],
      scenarios: ["sink: send ∥ send of a foreign publisher ∥ cancel"],
      races: ["calls no closure that a sink has released, on any sending thread"]),
    .init(number: "2.9", laws: [.endWithoutDemand]),
    .init(number: "2.10", laws: [.endWithoutDemand]),
    .init(
      number: "2.11",
      scenarios: ["subject: hand-over, send send send ∥ send send", "actor: send ∥ send ∥ run"],
      races: ["no value is received under the context of another"],
      reason: "no single run can prove it; the explorer reports unordered signals, and "
        + "ThreadSanitizer reports unordered accesses"),
    .init(number: "2.12", laws: [.subscription]),
    .init(
      number: "2.13",
      laws: [.silence, .lateValues],
      reason: "no function of the protocols can throw, and no parameter can be `nil`: the compiler verifies this part"),
    .init(
      number: "3.1",
      scenarios: ["subject: request ∥ cancel", "zip: request ∥ cancel"],
      reason: "the package doesn't rely on this: any thread may call a subscription (rule 14 of the contract)"),
    .init(number: "3.2", laws: [.requestInside]),
    .init(number: "3.3", laws: [.recursion]),
    .init(
      number: "3.4",
      scenarios: ["subject: send ∥ request, unlimited"],
      races: ["delivers the latest value to a subscriber whose request races with values"],
      reason: "speed is measured by the benchmarks; the checks verify that a request waits for no delivery"),
    .init(
      number: "3.5",
      laws: [.cancelInValue],
      scenarios: ["subject: send ∥ request ∥ cancel", "merge: send ∥ cancel"],
      races: ["a merge that is cancelled while sources send delivers nothing more"],
      reason: "speed is measured by the benchmarks; the checks verify that a cancellation waits for no delivery"),
    .init(number: "3.6", laws: [.requestAfterCancel], scenarios: ["sequence: request ∥ request ∥ cancel"]),
    .init(
      number: "3.7",
      laws: [.cancelUpstream],
      scenarios: ["sink: cancel ∥ cancel"],
      races: ["cancels upstream once when many threads cancel"]),
    .init(
      number: "3.8",
      laws: [.addition],
      scenarios: ["sequence: request ∥ request"],
      races: ["a sequence publishes the values that several threads request"]),
    .init(
      number: "3.9",
      laws: [.requestNone],
      reason: "doesn't apply to publishers: a request for `.none` is ignored and reported, and you can't "
        + "create a negative demand"),
    .init(number: "3.10", laws: [.insideRequests]),
    .init(number: "3.11", laws: [.insideRequests]),
    .init(
      number: "3.12",
      laws: [.cancelInLastValue, .cancelInValue],
      scenarios: ["subject: send send ∥ cancel"],
      races: ["delivers nothing that is sent after cancel() has returned"]),
    .init(
      number: "3.13",
      laws: [.releaseOnCancel, .releaseOnFinish, .releaseOnFailure],
      scenarios: ["subject: send ∥ release"],
      races: ["releases the closures of a sink once when completion races with cancellation"]),
    .init(
      number: "3.14",
      laws: [.newcomer],
      scenarios: ["share: subscribe ∥ cancel of the last subscriber"],
      races: ["share connects once while subscribers come and go on several threads"]),
    .init(
      number: "3.15",
      laws: [.cancelInSubscription, .cancelInRequest],
      scenarios: ["subject: cancel ∥ cancel"],
      reason: "no function of the protocols can throw: the compiler verifies this part"),
    .init(
      number: "3.16",
      laws: [.requestInside, .requestAfterCancel],
      scenarios: ["subject: request ∥ request"],
      reason: "no function of the protocols can throw: the compiler verifies this part"),
    .init(number: "3.17", laws: [.unlimited], scenarios: ["sequence: request of all ∥ request of all"]),
    .init(number: "4.1", laws: [.output, .demandUpstream]),
    .init(number: "4.2", laws: [.failure, .thrown]),
  ]
}
