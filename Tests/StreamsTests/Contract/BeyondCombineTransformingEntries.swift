import StreamAlgorithms
import Streams
import StreamsMigration

extension Parcel: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension OperatorCatalog {
  static let beyondCombineTransforming: [CatalogEntry] = [
    CatalogEntry("pairwise", gives: "(1, 2) (2, 3) finished") { $0.source().pairwise().asText() },
    CatalogEntry("nwise", gives: "[1, 2] [2, 3] finished") { $0.source().nwise(2).asText() },
    CatalogEntry("distinct", gives: "1 2 3 finished") { $0.source().distinct(remembering: 2).asText() },
    CatalogEntry("removeAllDuplicates(by:)", gives: "1 2 finished") { bench in
      let captive = bench.captive()
      return bench.source().removeAllDuplicates { captive.touch($0).number % 2 == $1.number % 2 }.asText()
    },
    CatalogEntry("distinct(by:)", gives: "1 2 finished") { bench in
      let captive = bench.captive()
      return bench.source().distinct(by: { captive.touch($0).number % 2 }, remembering: 2).asText()
    },
    CatalogEntry("chunked(by:)", gives: "[1] [2, 3] finished") { bench in
      let captive = bench.captive()
      return bench.source().chunked(maxCount: 3) { captive.touch($0).number == 2 && $1.number == 3 }.asText()
    },
    CatalogEntry("enumerated", gives: "0-1 1-2 2-3 finished") {
      $0.source().enumerated().map { "\($0.offset)-\($0.element)" }.asText()
    },
    CatalogEntry("partition", gives: "2 finished") { bench in
      let captive = bench.captive()
      return bench.source().partition { captive.touch($0).number == 2 }.matches.asText()
    },
    CatalogEntry("toggle", gives: "false true false finished") {
      $0.source().map { $0.number != 2 }.toggle().asText()
    },
    CatalogEntry("setOutputType", gives: "finished", except: [.demandUpstream: Reason.asksForAll]) {
      $0.source().ignoreOutput().setOutputType(to: Parcel.self).asText()
    },
    CatalogEntry("flatMapFirst", gives: "1 2 3 finished", except: [.demandUpstream: Reason.asksForAll]) { bench in
      let captive = bench.captive()
      return bench.source().flatMapFirst { Just(captive.touch($0)).setFailureType(to: ContractError.self) }.asText()
    },
    CatalogEntry("chunked(on:)", gives: "(0, [1]) (1, [2, 3]) finished") { bench in
      let captive = bench.captive()
      return bench.source().chunked(maxCount: 3, on: { captive.touch($0).number / 2 }).asText()
    },
  ]
}
