import StreamAlgorithms
import StreamSchedulers
import Streams

extension OperatorCatalog {
  private static let asksForAll: [Law: String] = [.demandUpstream: Reason.asksForAll]

  static let beyondCombineTiming: [CatalogEntry] = [
    CatalogEntry("sample(by:)", gives: "1 2 3 finished", except: asksForAll) { bench in
      let (main, sampler) = (bench.source(), bench.source())
      return main.sample(by: sampler).asText()
    },
    CatalogEntry("prefix(duration:)", gives: "1 2 finished") {
      $0.source().prefix(duration: .milliseconds(1500), scheduler: $0.scheduler).asText()
    },
    CatalogEntry("delay(subscription:)", gives: "1 2 3 finished") {
      $0.source().delay(subscription: 0, scheduler: $0.scheduler).asText()
    },
    CatalogEntry(
      "poll", gives: "1 2 3",
      except: [
        .releasePublisher: "it attaches to the publisher again", .releaseOnFinish: "it does not end",
        .insideRequests: Reason.beginsAgain,
      ]
    ) {
      $0.source().poll(every: 1, scheduler: $0.scheduler).asText()
    },
    CatalogEntry("pausable(runningWhile:)", gives: "1 3 finished", except: asksForAll) { bench in
      let (gate, main) = (bench.source(), bench.source())
      return main.pausable(runningWhile: gate.map { $0.number != 2 }).asText()
    },
    CatalogEntry(
      "pausable(runningWhile:buffering:)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]
    ) {
      bench in
      let (gate, main) = (bench.source(), bench.source())
      return main.pausable(runningWhile: gate.map { $0.number != 2 }, buffering: 3, whenFull: .dropOldest).asText()
    },
    CatalogEntry(
      "pausable(runningWhile:buffering:) that is full", gives: "1 2 failed", except: [.demandUpstream: Reason.buffers]
    ) {
      bench in
      let (gate, main) = (bench.source(), bench.source())
      return main.pausable(
        runningWhile: gate.map { $0.number == 1 }, buffering: 1,
        whenFull: .fail(ContractError())
      ).asText()
    },
    CatalogEntry("rateLimit", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().rateLimit(
        1, per: .milliseconds(1500), scheduler: $0.scheduler, queueSize: 5, whenFull: .dropNewest
      ).asText()
    },
    CatalogEntry("rateLimit that is full", gives: "1 failed", except: [.demandUpstream: Reason.buffers]) { bench in
      bench.source().rateLimit(
        1, per: .milliseconds(2500), scheduler: bench.scheduler, queueSize: 0,
        whenFull: .fail(ContractError())
      ).asText()
    },
  ]
}
