import StreamAlgorithms
import Streams

extension PlantedFault {
  /// A catalog is loaded once for all screens. The second screen comes when the shared stream has ended.
  static let lateToShare = PlantedFault(
    name: "late to share",
    goodSentence: "share() had finished before this stream subscribed, and it does not replay values.",
    answer: [
      ["share"], ["finish", "ended", "complet", "over", "end "],
      ["before", "already", "not replay", "n't replay", "no replay", "too late", "after"],
    ],
    arriving: 0, expected: 1,
    plant: { setUp(Catalog()) }, corrected: { setUp(ReplayingCatalog()) })
}

@MainActor
private func setUp(_ catalog: Catalog) -> Planted {
  let list = CatalogScreen(catalog)
  catalog.response.send(["bread", "butter"])
  let details = CatalogScreen(catalog)
  return Planted(
    cancellable: details.cancellables[0], keepsAlive: [catalog, catalog.response, list, details], line: catalog.line,
    received: { details.items.count },
    // The answer is there, and the user waits for it.
    provoke: {})
}

private class Catalog {
  let response = PassthroughSubject<[String], Never>()
  lazy var items = makeItems()
  var line = 0

  func makeItems() -> AnyPublisher<[String], Never> {
    line = #line + 1
    return response.first().share().eraseToAnyPublisher()  // Fault: it replays nothing to the second screen.
  }
}

private final class ReplayingCatalog: Catalog {
  override func makeItems() -> AnyPublisher<[String], Never> {
    response.first().share(replay: 1).eraseToAnyPublisher()
  }
}

@MainActor
private final class CatalogScreen {
  var items: [[String]] = []
  var cancellables: [AnyCancellable] = []

  init(_ catalog: Catalog) {
    catalog.items.map { $0.sorted() }.sink { [weak self] in self?.items.append($0) }.store(in: &cancellables)
  }
}
