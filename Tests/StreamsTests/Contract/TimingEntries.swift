import StreamSchedulers
import Streams

extension OperatorCatalog {
  private static let asksForAll: [Law: String] = [.demandUpstream: Reason.asksForAll]

  static let timing: [CatalogEntry] = [
    CatalogEntry("receive(on:)", gives: "1 2 3 finished") { $0.source().receive(on: $0.scheduler).asText() },
    CatalogEntry("subscribe(on:)", gives: "1 2 3 finished") { $0.source().subscribe(on: $0.scheduler).asText() },
    CatalogEntry("delay", gives: "1 2 3 finished") {
      $0.source().delay(for: .milliseconds(1500), scheduler: $0.scheduler).asText()
    },
    CatalogEntry("debounce", gives: "1 2 3 finished", except: asksForAll) {
      $0.source().debounce(for: .milliseconds(500), scheduler: $0.scheduler).asText()
    },
    CatalogEntry("debounce longer than the source is quiet", gives: "finished", except: asksForAll) {
      $0.source().debounce(for: .milliseconds(1500), scheduler: $0.scheduler).asText()
    },
    CatalogEntry("throttle to the newest", gives: "1 3 finished", except: asksForAll) {
      $0.source().throttle(for: .milliseconds(2500), scheduler: $0.scheduler, latest: true).asText()
    },
    CatalogEntry("throttle to the first", gives: "1 2 finished", except: asksForAll) {
      $0.source().throttle(for: .milliseconds(2500), scheduler: $0.scheduler, latest: false).asText()
    },
    CatalogEntry("timeout", gives: "1 2 3 finished") {
      $0.source().timeout(.milliseconds(1500), scheduler: $0.scheduler).asText()
    },
    CatalogEntry("timeout with an error", gives: "1 failed") { bench in
      let captive = bench.captive()
      return bench.source().timeout(
        .milliseconds(500), scheduler: bench.scheduler, customError: { captive.touch(ContractError()) }
      ).asText()
    },
    CatalogEntry("measureInterval", gives: "0 1000000000 1000000000 finished") {
      $0.source().measureInterval(using: $0.scheduler).map(\.magnitude).asText()
    },
    CatalogEntry("buffer(keepFull, dropNewest)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).asText()
    },
    CatalogEntry("buffer(byRequest, dropNewest)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).asText()
    },
    CatalogEntry("buffer(byRequest, dropOldest)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).asText()
    },
    CatalogEntry("buffer(byRequest, customError)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      bench in
      let captive = bench.captive()
      return bench.source().buffer(
        size: 2, prefetch: .byRequest, whenFull: .customError { captive.touch(ContractError()) }
      ).asText()
    },
  ]
}
