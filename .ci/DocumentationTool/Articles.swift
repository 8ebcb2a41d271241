// Reads the articles of all modules, and the lists of them on the modules' own pages.
import Foundation

/// An article of a module, or the page with which its documentation begins.
struct Article {
  let module: String
  let file: String
  let title: String
  /// The sentence below the title.
  let abstract: String
  /// All lines, without those that make sense on the site only.
  let passages: [Passage]
  let headings: [String]

  var name: String { URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent }
  /// Whether it is about the module itself, which has a section in the table of contents rather than a page.
  var isAboutModule: Bool { name == module }

  init(module: String, file: String, text: String) {
    let lines = text.components(separatedBy: "\n")
    self.module = module
    self.file = file
    title = lines[0].replacing(#/#\ |``/#, with: "")
    abstract = lines.dropFirst().drop(while: \.isEmpty).prefix { !$0.isEmpty }.joined(separator: " ")
    passages = outlined(parsed(text))
    headings = passages.headings
  }

  init(module: String, file: String) throws {
    self.init(module: module, file: file, text: try String(contentsOfFile: file, encoding: .utf8))
  }

  /// The anchor and the title of a heading that a link names with other punctuation than either.
  func heading(_ name: String) -> (anchor: String, title: String)? {
    func letters(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return zip(anchors(of: headings), headings).first { letters($1) == letters(name) }.map { ($0, $1) }
  }
}

/// The passages with the outline of a page: the abstract and the overview are one introduction, so that the heading
/// between them is left out, and the headings below it move up.
func outlined(_ passages: [Passage]) -> [Passage] {
  var isOverview = false
  return passages.map { passage in
    guard !passage.isCode else { return passage }
    let lines: [String] = passage.lines.compactMap { line in
      if line.hasPrefix("## ") { isOverview = line == "## Overview" }
      if line == "## Overview" { return nil }
      if line == "## Topics" { return "## See also" }
      return isOverview && line.hasPrefix("###") ? String(line.dropFirst()) : line
    }
    return Passage(isCode: false, lines: lines)
  }
}

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

  init(of module: String) throws {
    let folder = "Sources/\(module)/\(module).docc"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
    let pages = try files.map { try Article(module: module, file: "\(folder)/\($0)") }
    guard let module = pages.first(where: \.isAboutModule) else { fatalError("\(folder) has no page of the module") }
    self.module = module
    articles = pages.filter { !$0.isAboutModule }
    let resources = FileManager.default.enumerator(atPath: "\(folder)/Resources")?.compactMap { $0 as? String } ?? []
    let pictures = resources.map { resource in
      (URL(fileURLWithPath: resource).deletingPathExtension().lastPathComponent, "\(folder)/Resources/\(resource)")
    }
    self.pictures = Dictionary(pictures, uniquingKeysWith: { first, _ in first })
  }

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

/// The documentation of all modules.
struct Library {
  /// Modules in the order in which readers meet them.
  static let modules = [
    "Streams", "StreamAlgorithms", "StreamSchedulers", "StreamInspection", "StreamFoundation", "StreamTesting",
    "StreamsMigration",
  ]

  let catalogs: [Catalog]
  let declarations: Declarations

  init() throws {
    catalogs = try Self.modules.map(Catalog.init)
    declarations = try Declarations()
  }

  var articles: [Article] { catalogs.flatMap(\.articles) }

  func article(named name: some StringProtocol) -> Article? {
    articles.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Names of pages that two articles would share, and articles that no module's page lists.
  var mistakes: [String] {
    let listed = Set(catalogs.flatMap(\.topics).flatMap(\.articles))
    let names = Dictionary(grouping: articles, by: \.name)
    return articles.filter { !listed.contains($0.name) }.map { "error: \($0.file) is in no topic of its module's page" }
      + names.values.filter { $0.count > 1 }.map { "error: \($0[0].file) and \($0[1].file) have the same name" }
  }
}
