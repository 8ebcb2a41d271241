import Foundation
import SymbolGraphs

/// The documentation of all modules.
struct Library {
  /// Modules in the order of the manifest. `Combine` declares nothing.
  static let modules = [
    "Streams", "StreamAlgorithms", "StreamSchedulers", "StreamInspection", "StreamFoundation", "StreamTesting",
    "StreamsMigration",
  ]

  let catalogs: [Catalog]
  /// The symbols to which articles link, by their paths.
  let symbols: [String: [Symbol]]

  var articles: [Article] { catalogs.flatMap(\.articles) }

  func article(named name: some StringProtocol) -> Article? {
    articles.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Names of pages that two articles would share, and articles that no module's page lists.
  var mistakes: [String] {
    let listed = Set(catalogs.flatMap(\.topics).flatMap(\.articles))
    let names = Dictionary(grouping: articles, by: \.name)
    return articles.filter { !listed.contains($0.name) }.map { "\($0.file) is in no topic of its module's page" }
      + names.values.filter { $0.count > 1 }.map { "\($0[0].file) and \($0[1].file) have the same name" }
  }
}

extension Library {
  init(_ graphs: [String: SymbolGraph]) throws {
    catalogs = try Self.modules.map(Catalog.init)
    // Those that only explain a mistake, or lead from an old name to the new one, are not what a link means.
    let declared = graphs.values.flatMap(\.symbols.values).filter { symbol in
      symbol.file != nil && symbol.kind.identifier != .extension && !symbol.isUnavailable && !symbol.isDeprecated
    }
    symbols = Dictionary(grouping: declared) { $0.absolutePath }
  }
}
