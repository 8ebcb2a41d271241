import Foundation
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsTestSupport
import Testing

/// The context of a step of a trial.
enum Step {
  @TaskLocal static var name = "nobody"
}

/// The law about contexts, for every operator: a value is received under the context in which it was sent, whoever
/// delivers it.
///
/// Each test runs in a process of its own, because what is registered is carried for the rest of the process.
@Suite(.exits) struct ContextLawTests {
  @Test func `every operator delivers values under the context in which they were sent`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Step.$name)
      // Once is enough.
      StreamContext.carry(Step.$name)
      for entry in OperatorCatalog.all {
        for demand in [Subscribers.Demand.unlimited, nil] { checkContexts(entry, demand) }
      }
    }
  }

  @Test func `every operator obeys the other laws as well when contexts are carried`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Step.$name)
      for entry in OperatorCatalog.all {
        for law in Law.allCases where entry.exemptions[law] == nil { law.check(entry) }
      }
    }
  }
}

/// Sends, lets time pass and requests, each under a context of its own, and examines those of the values received.
private func checkContexts(_ entry: CatalogEntry, _ demand: Subscribers.Demand?) {
  var received: [(value: String, step: String)] = []
  let trial = Step.$name.withValue("subscribing") {
    Trial(entry, demand: demand) { _, subscriber in
      subscriber.onValue = { [unowned subscriber] _ in
        received.append((subscriber.values.last ?? "", Step.name))
        return .none
      }
    }
  }
  func wait() { Step.$name.withValue("waiting") { trial.bench.scheduler.advance(by: .milliseconds(500)) } }
  func request() { Step.$name.withValue("requesting") { if demand == nil { trial.request(.max(1)) } } }
  request()
  for number in 1...3 {
    Step.$name.withValue("sending \(number)") { trial.bench.put(number) }
    wait()
    if number != 2 { request() }
    wait()
  }
  Step.$name.withValue("ending") { for feed in trial.bench.feeds { feed.finish() } }
  for _ in 0..<6 {
    wait()
    request()
  }
  Step.$name.withValue("waiting") { trial.bench.finish() }

  for (value, step) in received where !isAllowed(step, for: value, of: entry) {
    Issue.record("\(entry.name), \(demand == nil ? "one value at a time" : "all"): \(value) was received under \(step)")
  }
}

/// Entries whose values are computed, so that a number does not tell when it was sent.
private let computing: Set = [
  "scan", "tryScan", "count", "last", "zip of 2 with a closure", "combineLatest of 2 with a closure",
  "combineLatest of 3",
  "withLatest(from:) with a closure", "withLatest(from:) of 2",
]

/// Entries whose values nobody sends: they are made when they are requested or subscribed to, by a task of the
/// subscription, or have been sent before.
private let unsent: Set = [
  "Just", "Record", "Optional.Publisher", "Result.Publisher of a value", "Sequence of an array",
  "Sequence of a lazy sequence", "AsyncSequence.publisher", "values.publisher", "values(buffering: .bounded).publisher",
  "Future of a task", "Deferred task", "Future that was fulfilled before", "ReplaySubject that has finished",
]

private func isAllowed(_ step: String, for value: String, of entry: CatalogEntry) -> Bool {
  // Those of the thread that delivers because time passes, and of nobody.
  if step == "waiting" || step == "nobody" { return false }
  if unsent.contains(entry.name) { return ["subscribing", "requesting"].contains(step) }
  guard (1...3).contains(Int(value) ?? 0), !computing.contains(entry.name) else { return true }
  return step == "sending \(value)"
}
