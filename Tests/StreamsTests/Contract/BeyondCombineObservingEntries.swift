import StreamAlgorithms
import Streams

/// A target of which only the operator's rules are of interest.
private struct Unread: AcknowledgementTarget {
  func acknowledge(_ index: Int) {}
}

extension OperatorCatalog {
  static let beyondCombineObserving: [CatalogEntry] = [
    CatalogEntry("acknowledge", gives: "1 2 3 finished") {
      $0.source().map { $0.number }.acknowledge(to: Unread()).asText()
    },
    CatalogEntry("acknowledge(after:)", gives: "1 2 3 finished") {
      $0.source().map { $0.number }.acknowledge(to: Unread(), after: 0).asText()
    },
    CatalogEntry("checkpoint", gives: "1 2 3 finished") { $0.source().checkpoint("here").asText() },
    CatalogEntry("checkpoint.checkpoint", gives: "1 2 3 finished") {
      $0.source().checkpoint("here").checkpoint("there").asText()
    },
  ]
}
