import StreamAlgorithms
import Streams

extension OperatorCatalog {
  private static let takesTurns: [Law: String] = [.demandUpstream: Reason.oneInHand]

  private static let asksForAll: [Law: String] = [.demandUpstream: Reason.asksForAll]

  static let beyondCombineGrouping: [CatalogEntry] = [
    CatalogEntry("buffer(by:maxCount:)", gives: "[1] [2] [3] finished", except: takesTurns) { bench in
      let (main, boundary) = (bench.source(), bench.source())
      return main.buffer(by: boundary, maxCount: 10).asText()
    },
    CatalogEntry("buffer(by:maxCount:) that is full", gives: "[1, 2] [3] finished", except: takesTurns) {
      $0.source().buffer(by: Empty<Void, Never>(completeImmediately: false), maxCount: 2).asText()
    },
    CatalogEntry("window(by:bufferSize:)", gives: "1 2 3 finished", except: asksForAll) { bench in
      let (boundary, main) = (bench.source(), bench.source())
      return main.window(by: boundary, bufferSize: 1).flatMap { $0 }.asText()
    },
    CatalogEntry("groupBy", gives: "1: 1 0: 2 1: 3 finished", except: asksForAll) { bench in
      let captive = bench.captive()
      return bench.source().groupBy({ captive.touch($0).number % 2 }, maxGroups: 2, bufferSize: 1)
        .flatMap { group in group.map { "\(group.key): \($0)" } }.asText()
    },
  ]
}
