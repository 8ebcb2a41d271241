import Streams

extension OperatorCatalog {
  private static let takesTurns: [Law: String] = [.demandUpstream: Reason.oneInHand]

  static let beyondCombineGrouping: [CatalogEntry] = [
    CatalogEntry("buffer(by:maxCount:)", gives: "[1] [2] [3] finished", except: takesTurns) { bench in
      let (main, boundary) = (bench.source(), bench.source())
      return main.buffer(by: boundary, maxCount: 10).asText()
    },
    CatalogEntry("buffer(by:maxCount:) that is full", gives: "[1, 2] [3] finished", except: takesTurns) {
      $0.source().buffer(by: Empty<Void, Never>(completeImmediately: false), maxCount: 2).asText()
    },
  ]
}
