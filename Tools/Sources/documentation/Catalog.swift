import Foundation

/// Articles that a module's page lists under one heading.
struct Topic {
  var title: String
  var articles: [String]
}

/// The documentation of one module.
struct Catalog {
  let module: Article
  let articles: [Article]
  /// The files of the pictures, by their names without an extension.
  let pictures: [String: String]

  /// The topics with articles, in the order of the module's page.
  ///
  /// Tutorials are on the site only. The module's page links to them by path (`- <doc:/tutorials/…>`), which no article has.
  var topics: [Topic] {
    var topics: [Topic] = []
    for line in module.passages.prose.drop(while: { $0 != "## See also" }) {
      if line.hasPrefix("### ") { topics.append(Topic(title: String(line.dropFirst(4)), articles: [])) }
      if let item = line.wholeMatch(of: #/- <doc:(\w+)>/#), !topics.isEmpty {
        topics[topics.count - 1].articles.append(String(item.1))
      }
    }
    return topics.filter { !$0.articles.isEmpty }
  }
}

extension Catalog {
  init(of module: String) throws {
    let folder = "Sources/\(module)/\(module).docc"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
    let pages = try files.map { try Article(module: module, file: "\(folder)/\($0)") }
    guard let module = pages.first(where: \.isAboutModule) else { fatalError("\(folder) has no page of the module") }
    let resources = FileManager.default.enumerator(atPath: "\(folder)/Resources")?.compactMap { $0 as? String } ?? []
    let pictures = resources.map { resource in
      (URL(fileURLWithPath: resource).deletingPathExtension().lastPathComponent, "\(folder)/Resources/\(resource)")
    }
    self.init(
      module: module, articles: pages.filter { !$0.isAboutModule },
      pictures: Dictionary(pictures, uniquingKeysWith: { first, _ in first }))
  }
}
