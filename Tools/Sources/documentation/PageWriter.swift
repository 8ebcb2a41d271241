import Foundation

/// Converts what only DocC understands in one article.
struct PageWriter {
  private let library: Library
  private let article: Article
  private(set) var mistakes: [String] = []

  init(_ article: Article, in library: Library) {
    self.article = article
    self.library = library
  }

  /// The text of the page.
  mutating func page() -> String {
    article.passages.map { passage in
      let text = passage.lines.joined(separator: "\n")
      return passage.isCode ? text : converted(text)
    }.joined(separator: "\n")
  }

  private mutating func converted(_ prose: String) -> String {
    // None of the articles needs one yet; a page would show its source.
    for directive in prose.matches(of: #/^ *@[A-Z]\w*(?= *[({])/#.anchorsMatchLineEndings()) {
      mistakes.append("\(article.file): pages cannot show the directive \(directive.0)")
    }
    return prose.replacing(Self.aside) { "\($0.indentation)> [!\($0.kind.uppercased())]\n\($0.indentation)> " }
      .replacing(Self.inline) { replacement(of: $0.output) }
      .replacing("\n\n\n", with: "\n\n")
  }

  private static var aside: Regex<(Substring, indentation: Substring, kind: Substring)> {
    #/^(?<indentation> *)> (?<kind>Note|Tip|Important|Warning): /#.anchorsMatchLineEndings()
  }

  // MARK: Links

  private typealias Inline = (
    Substring, symbol: Substring?, code: Substring?, entry: Substring?, reference: Substring?, mark: Substring?,
    text: Substring?, target: Substring?
  )

  /// Code is matched, too, so that nothing in it is taken for a link.
  private static var inline: Regex<Inline> {
    #/
      ``(?<symbol>[^`\s]+)``
      | (?<code>`+[^`]+`+)
      | ^-\ <doc:(?<entry>\w+)>$
      | <doc:(?<reference>\S+?)>(?![\w>])
      | (?<mark>!?)\[(?<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?<target>(?:[^()\s]|\([^()\s]*\))*)\)
    /#.anchorsMatchLineEndings()
  }

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
      mistakes.append("\(article.file): the link \(target) leads to nothing")
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
      mistakes.append("\(article.file): the picture \(name) is missing, or its version for dark backgrounds")
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
    return module.map { Destination(path: "\(Library.contentsName).md#\(anchor(of: $0))", title: "`\($0)`") }
  }

  private func destination(ofSymbol link: Substring) -> Destination? {
    if Library.modules.contains(String(link)) { return destination(ofModule: link) }
    guard let link = SymbolLink(String(link)), let symbol = link.target(in: library.symbols), let file = symbol.file
    else { return nil }
    // Without the line, which any change of the file may move.
    return Destination(path: "../\(file)", title: "`\(trimmedTitle(symbol.names.title))`")
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
