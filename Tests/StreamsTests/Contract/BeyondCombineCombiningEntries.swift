import Streams
import StreamsMigration

extension OperatorCatalog {
  private static let asksForAll: [Law: String] = [.demandUpstream: Reason.asksForAll]

  static let beyondCombineCombining: [CatalogEntry] = [
    CatalogEntry("withLatest(from:)", gives: "(1, 1) (2, 1) (3, 2) finished", except: asksForAll) { bench in
      let (main, other) = (bench.source(), bench.source())
      return main.withLatest(from: other).asText()
    },
    CatalogEntry(
      "withLatest(from:) with a closure", gives: "2 4 6 finished",
      except: asksForAll.merging([.contexts: Reason.computes]) { $1 }
    ) { bench in
      let captive = bench.captive()
      let (other, main) = (bench.source(), bench.source())
      return main.withLatest(from: other) { captive.touch($0).number + $1.number }.asText()
    },
    CatalogEntry(
      "withLatest(from:) of 2", gives: "3 6 9 finished", except: asksForAll.merging([.contexts: Reason.computes]) { $1 }
    ) { bench in
      let (a, b, main) = (bench.source(), bench.source(), bench.source())
      return main.withLatest(from: a, b).map { $0.0.number + $0.1.number + $0.2.number }.asText()
    },
    CatalogEntry("withLatest(from:) of 3", gives: "4 8 12 finished", except: asksForAll) { bench in
      let (a, b, c, main) = (bench.source(), bench.source(), bench.source(), bench.source())
      return main.withLatest(from: a, b, c).map { $0.0.number + $0.1.number + $0.2.number + $0.3.number }.asText()
    },
    CatalogEntry("race(with:)", gives: "1 2 3 finished") { bench in
      let (a, b) = (bench.source(), bench.source())
      return a.race(with: b).asText()
    },
    CatalogEntry("race of many", gives: "1 2 3 finished") { bench in
      [bench.source(), bench.source(), bench.source()].race().asText()
    },
    CatalogEntry("zip of many", gives: "[1, 1, 1] [2, 2, 2] [3, 3, 3] finished") { bench in
      [bench.source(), bench.source(), bench.source()].zip().asText()
    },
    CatalogEntry("combineLatest of many", gives: "[1, 1] [2, 1] [2, 2] [3, 2] [3, 3] finished") { bench in
      [bench.source(), bench.source()].combineLatest().asText()
    },
    CatalogEntry("flatMapBatches(of:)", gives: "[1, 1] [2, 2] [3, 3] finished", except: asksForAll) { bench in
      [bench.source(), bench.source()].flatMapBatches(of: 2).asText()
    },
    CatalogEntry("zip of very many", gives: "70 140 210 finished") { bench in
      (0..<70).map { _ in bench.source() }.zip().map { $0.map(\.number).reduce(0, +) }.asText()
    },
  ]
}
