import StreamAlgorithms
import Streams

extension OperatorCatalog {
  static let beyondCombineObserving: [CatalogEntry] = [
    CatalogEntry("checkpoint", gives: "1 2 3 finished") { $0.source().checkpoint("here").asText() },
    CatalogEntry("checkpoint.checkpoint", gives: "1 2 3 finished") {
      $0.source().checkpoint("here").checkpoint("there").asText()
    },
  ]
}
