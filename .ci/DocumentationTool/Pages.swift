// Writes the articles of all modules as Markdown files for readers of the repository, whose host shows neither links to
// symbols nor pictures by name.
import Foundation

private let pagesFolder = "Documentation"
private let pagesCommand = ".ci/documentation pages"
/// The name of the page that hosts of repositories show with the folder.
private let contentsName = "README"
/// How every page begins, so that one that has lost its article is told from a file that somebody has written.
private let generatedMark = "<!-- Generated"

/// Converts what only DocC understands in one article.
struct PageWriter {
  private let library: Library
  private let article: Article
  private(set) var mistakes: [String] = []

  init(_ article: Article, in library: Library) {
    self.article = article
    self.library = library
  }

  /// The text of the page, below a comment that says where to edit it.
  mutating func page(from source: String) -> String {
    let texts = article.passages.map { passage in
      let text = passage.lines.joined(separator: "\n")
      return passage.isCode ? text : converted(text)
    }
    return "\(generatedMark) from \(source) by `\(pagesCommand)`. -->\n\n" + texts.joined(separator: "\n")
  }

  private mutating func converted(_ prose: String) -> String {
    // None of the articles needs one yet; a page would show its source.
    for directive in prose.matches(of: #/^ *@[A-Z]\w*(?= *[({])/#.anchorsMatchLineEndings()) {
      mistakes.append("error: \(article.file): pages cannot show the directive \(directive.0)")
    }
    return prose.replacing(Self.aside) { "\($0.indentation)> [!\($0.kind.uppercased())]\n\($0.indentation)> " }
      .replacing(Self.inline) { replacement(of: $0.output) }
      .replacing("\n\n\n", with: "\n\n")
  }

  private static let aside = #/^(?<indentation> *)> (?<kind>Note|Tip|Important|Warning): /#.anchorsMatchLineEndings()

  // MARK: Links

  private typealias Inline = (
    Substring, symbol: Substring?, code: Substring?, entry: Substring?, reference: Substring?, mark: Substring?,
    text: Substring?, target: Substring?
  )

  /// Code is matched, too, so that nothing in it is taken for a link.
  private static let inline: Regex<Inline> =
    #/
      ``(?<symbol>[^`\s]+)``
      | (?<code>`+[^`]+`+)
      | ^-\ <doc:(?<entry>\w+)>$
      | <doc:(?<reference>\S+?)>(?![\w>])
      | (?<mark>!?)\[(?<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?<target>(?:[^()\s]|\([^()\s]*\))*)\)
    /#.anchorsMatchLineEndings()

  private mutating func replacement(of match: Inline) -> String {
    if let symbol = match.symbol { return link(to: symbol, destination(ofSymbol: symbol)) }
    if let name = match.entry { return entry(of: name) }
    if let reference = match.reference { return link(to: reference, destination(of: reference)) }
    guard let text = match.text, let target = match.target, !target.contains("://") else { return String(match.0) }
    if match.mark == "!" { return picture(target, showing: text) }
    let isReference = target.hasPrefix("doc:") || target.hasPrefix("/documentation/") || target.hasPrefix("#")
    return link(to: target, isReference ? destination(of: target) : destination(ofFile: target), text: text)
  }

  /// A link that shows a text, or the title of what it leads to.
  private mutating func link(to target: Substring, _ destination: Destination?, text: Substring? = nil) -> String {
    guard let destination else {
      mistakes.append("error: \(article.file): the link \(target) leads to nothing")
      return ""
    }
    return "[\(text ?? destination.title[...])](\(destination.path))"
  }

  /// An item of a list that is nothing but an article, and says what it is about.
  private mutating func entry(of name: Substring) -> String {
    let abstract = library.article(named: name).map { converted($0.abstract) } ?? ""
    return "- \(link(to: name, destination(of: name))): \(abstract)"
  }

  private mutating func picture(_ name: Substring, showing caption: Substring) -> String {
    let pictures = library.catalogs.first { $0.module.name == article.module }?.pictures ?? [:]
    guard let light = pictures[String(name)], let dark = pictures["\(name)~dark"] else {
      mistakes.append("error: \(article.file): the picture \(name) is missing, or its version for dark backgrounds")
      return ""
    }
    return #"<picture><source media="(prefers-color-scheme: dark)" srcset="../\#(dark)">"#
      + #"<img src="../\#(light)" alt="\#(escaped(caption))"></picture>"#
  }

  /// A text as the value of an attribute.
  private func escaped(_ text: Substring) -> String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  // MARK: Destinations

  private struct Destination {
    var path: String
    var title: String
  }

  /// Where a link leads that names an article, a heading, a module or a symbol, with or without DocC's scheme.
  private func destination(of reference: Substring) -> Destination? {
    let parts = reference.trimmingPrefix("doc:").split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let names = parts[0].split(separator: "/").filter { $0 != "documentation" }
    let path = names.drop { name in Library.modules.contains { $0.lowercased() == name.lowercased() } }
    let heading = parts.count == 2 ? String(parts[1]) : nil
    if names.isEmpty { return destination(of: article, at: heading) }
    guard let name = path.first else { return destination(ofModule: names[names.count - 1]) }
    if path.count == 1, let target = library.article(named: name) { return destination(of: target, at: heading) }
    return destination(ofSymbol: path.joined(separator: "/")[...])
  }

  private func destination(of target: Article, at heading: String?) -> Destination? {
    // The overview has no heading of its own on a page.
    guard let heading, heading != "Overview" else {
      return Destination(path: "\(target.name).md", title: target.title)
    }
    let page = target.file == article.file ? "" : "\(target.name).md"
    return target.heading(heading).map { Destination(path: "\(page)#\($0.anchor)", title: $0.title) }
  }

  private func destination(ofModule name: Substring) -> Destination? {
    let module = Library.modules.first { $0.lowercased() == name.lowercased() }
    return module.map { Destination(path: "\(contentsName).md#\(anchor(of: $0))", title: "`\($0)`") }
  }

  private func destination(ofSymbol link: Substring) -> Destination? {
    if Library.modules.contains(String(link)) { return destination(ofModule: link) }
    guard let symbol = SymbolLink(String(link)) else { return nil }
    // Only links to symbols of other modules begin with the module, or with two if one extends types of the other.
    for symbol in [symbol, symbol.withoutModule, symbol.withoutModule.withoutModule] {
      guard let declaration = library.declarations.declaration(of: symbol) else { continue }
      return Destination(path: "../\(declaration.file)#L\(declaration.line)", title: "`\(symbol.title)`")
    }
    return nil
  }

  /// Where a link relative to the article's file leads from the page.
  private func destination(ofFile link: Substring) -> Destination? {
    let root = URL(fileURLWithPath: ".").absoluteURL.standardized.path + "/"
    let folder = URL(fileURLWithPath: article.file).absoluteURL.deletingLastPathComponent()
    let file = folder.appendingPathComponent(String(link.prefix { $0 != "#" })).standardized.path
    guard file.hasPrefix(root), FileManager.default.fileExists(atPath: file) else { return nil }
    return Destination(path: "../\(file.dropFirst(root.count))\(link.drop { $0 != "#" })", title: String(link))
  }
}

// MARK: - All pages

extension Library {
  /// The articles by topic, each with its abstract.
  fileprivate var contents: Article {
    let sections = catalogs.map { catalog in
      let name = catalog.module.name
      let topics = catalog.topics.map { topic in
        "\n### \(topic.title)\n\n" + topic.articles.map { "- <doc:\($0)>\n" }.joined()
      }
      return "\n## \(name)\n\n\(catalog.module.abstract) Its source is in [`Sources/\(name)`](../Sources/\(name)).\n"
        + topics.joined()
    }
    let introduction = """
      # Documentation

      The articles of all modules. `.ci/documentation site` builds them, and the reference of all symbols, as a site.

      """
    return Article(
      module: "", file: "\(pagesFolder)/\(contentsName).md", text: introduction + sections.joined())
  }

  /// The texts of all pages by their paths, and what the articles contain that pages cannot show.
  fileprivate func pages() -> (texts: [String: String], mistakes: [String]) {
    var texts: [String: String] = [:]
    var mistakes = self.mistakes
    for article in articles + [contents] {
      var writer = PageWriter(article, in: self)
      let isContents = article.name == contentsName
      texts["\(pagesFolder)/\(article.name).md"] = writer.page(from: isContents ? "Sources/*/*.docc" : article.file)
      mistakes += writer.mistakes
    }
    return (texts, mistakes)
  }
}

/// The part of a link that leads to a line of a file.
private let lineNumber = #/#L\d+(?=\))/#

/// The pages in the folder that have lost their articles.
private func orphans(without texts: [String: String]) throws -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: pagesFolder)) ?? []
  return try names.map { "\(pagesFolder)/\($0)" }.filter { file in
    try texts[file] == nil && file.hasSuffix(".md")
      && String(contentsOfFile: file, encoding: .utf8).hasPrefix(generatedMark)
  }
}

/// Writes the pages that differ from their articles, or only names them, and returns the number of mistakes.
func updatePages(isWriting: Bool) throws -> Int {
  let (texts, mistakes) = try Library().pages()
  guard mistakes.isEmpty else {
    mistakes.forEach { print($0) }
    return mistakes.count
  }
  // A change of code moves declarations. That makes no page wrong by more than a few lines, and needs no new pages by itself.
  func isStale(_ file: String) -> Bool {
    guard let text = texts[file], let old = try? String(contentsOfFile: file, encoding: .utf8) else { return true }
    return isWriting ? text != old : text.replacing(lineNumber, with: "") != old.replacing(lineNumber, with: "")
  }
  let stale = texts.keys.filter(isStale).sorted()
  let orphans = try orphans(without: texts).sorted()
  guard isWriting else {
    stale.forEach { print("error: \($0) differs from its article; `\(pagesCommand)` writes it") }
    orphans.forEach { print("error: \($0) has no article; `\(pagesCommand)` removes it") }
    return stale.count + orphans.count
  }
  try FileManager.default.createDirectory(atPath: pagesFolder, withIntermediateDirectories: true)
  for file in stale { try texts[file]?.write(toFile: file, atomically: true, encoding: .utf8) }
  for file in orphans { try FileManager.default.removeItem(atPath: file) }
  (stale + orphans).forEach { print($0) }
  return 0
}
