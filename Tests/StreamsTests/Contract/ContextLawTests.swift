import Foundation
import StreamAlgorithms
import StreamSchedulers
import Streams
import SuiteSupport
import Testing

/// The context of a step of a trial.
enum Step {
  @TaskLocal static var name = "nobody"
}

/// Indicates whether the contexts of steps are carried, as they are for the rest of a process.
// Unchecked: written before anything else happens in a process of its own.
nonisolated(unsafe) private(set) var areContextsCarried = false

/// The law about contexts, for every operator: a value is received under the context in which it was sent, whoever
/// delivers it.
///
/// The test runs in a process of its own, because what is registered is carried for the rest of the process.
@Suite(.exits) struct ContextLawTests {
  @Test func `every operator obeys the laws when contexts are carried`() async {
    await #expect(processExitsWith: .success) {
      StreamContext.carry(Step.$name)
      // Once is enough.
      StreamContext.carry(Step.$name)
      areContextsCarried = true
      for entry in OperatorCatalog.all {
        for law in Law.allCases where entry.exemptions[law] == nil { law.check(entry) }
      }
    }
  }
}

extension Law {
  /// Sends, lets time pass and requests, each under a context of its own, and examines those of the values received.
  func checkContexts(_ entry: CatalogEntry) {
    for demand in [Subscribers.Demand.unlimited, nil] { checkContexts(entry, demand) }
  }

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

    for (value, step) in received {
      // A value that combines others has the context of the one that completes it: the last one that was sent.
      let last = value.split { !$0.isNumber }.compactMap { Int($0) }.filter { (1...3).contains($0) }.max()
      let isRight = last.map { step == "sending \($0)" } ?? !["waiting", "nobody"].contains(step)
      if !isRight {
        Issue.record("\(entry.name), \(demand == nil ? "one at a time" : "all"): \(value) was received under \(step)")
      }
    }
  }
}
