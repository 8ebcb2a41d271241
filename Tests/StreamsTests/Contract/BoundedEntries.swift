import StreamAlgorithms
import Streams

extension OperatorCatalog {
  /// Operators in which a bounded number of values waits.
  static let bounded: [CatalogEntry] = [
    CatalogEntry(
      "receive(on:bounded, wait)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]
    ) {
      $0.source().receive(on: $0.scheduler, bounded: 3, whenFull: .wait).asText()
    },
    CatalogEntry(
      "receive(on:bounded, dropOldest)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]
    ) {
      $0.source().receive(on: $0.scheduler, bounded: 3, whenFull: .dropOldest).asText()
    },
    CatalogEntry("receive(on:bounded, fail)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      bench in
      let captive = bench.captive()
      return bench.source().receive(
        on: bench.scheduler, bounded: 3, whenFull: .fail(captive.touch(ContractError()))
      ).asText()
    },
    CatalogEntry("receive(on:bounded, cancel)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().receive(on: $0.scheduler, bounded: 3, whenFull: .cancel).asText()
    },
    CatalogEntry("buffer(wait)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().buffer(bounded: 3, whenFull: .wait).asText()
    },
    CatalogEntry("buffer(cancel)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().buffer(bounded: 3, whenFull: .cancel).asText()
    },
    CatalogEntry(
      "merge(bounded, wait)", gives: "1 1 2 2 3 3 finished", except: [.demandUpstream: Reason.oneInHand]
    ) {
      [$0.source(), $0.source()].merge(bounded: 4, whenFull: .wait).asText()
    },
    CatalogEntry(
      "merge(with:bounded, dropOldest)", gives: "1 1 2 2 3 3 finished", except: [.demandUpstream: Reason.buffers]
    ) {
      $0.source().merge(with: $0.source(), bounded: 4, whenFull: .dropOldest).asText()
    },
    CatalogEntry("flatMap(bounded, wait)", gives: "1 2 2 3 3 3 finished", except: [.demandUpstream: Reason.oneInHand]) {
      bench in
      let captive = bench.captive()
      let (outer, inner) = (bench.source(), bench.source())
      return outer.flatMap(bounded: 8, whenFull: .wait) { _ in captive.touch(inner) }.asText()
    },
    CatalogEntry(
      "flatMap(bounded, dropNewest)", gives: "1 2 2 3 3 3 finished", except: [.demandUpstream: Reason.buffers]
    ) { bench in
      let captive = bench.captive()
      let (outer, inner) = (bench.source(), bench.source())
      return outer.flatMap(bounded: 8, whenFull: .dropNewest) { _ in captive.touch(inner) }.asText()
    },
    CatalogEntry("share(bounded:)", gives: "1 2 3 finished", except: [.demandUpstream: Reason.buffers]) {
      $0.source().share(bounded: 3, whenFull: .dropOldest).asText()
    },
  ]
}
