import Foundation
import SymbolGraphs
import ToolsSupport

/// The articles of all modules as Markdown files for readers of the repository, whose host shows neither links to symbols nor
/// pictures by name.
extension Library {
  private static let folder = "Documentation"
  /// The name of the page that hosts of repositories show with the folder.
  static let contentsName = "README"
  /// How every page begins, so that one that has lost its article is told from a file that somebody has written.
  private static let mark = "<!-- Generated"

  /// The articles by topic, each with its abstract.
  private var contents: Article {
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

      The articles of all modules. `Tools/run documentation site` builds them, and the reference of all symbols, as a site.

      """
    return Article(
      module: "", file: "\(Self.folder)/\(Self.contentsName).md", text: introduction + sections.joined())
  }

  /// The texts of all pages by their paths, unless the articles contain what pages cannot show.
  private func pages() throws -> [String: String] {
    var texts: [String: String] = [:]
    var mistakes = self.mistakes
    for article in articles + [contents] {
      var writer = PageWriter(article, in: self)
      let source = article.name == Self.contentsName ? "Sources/*/*.docc" : article.file
      texts["\(Self.folder)/\(article.name).md"] =
        "\(Self.mark) from \(source) by `Tools/run documentation pages`. -->\n\n" + writer.page()
      mistakes += writer.mistakes
    }
    try report(mistakes)
    return texts
  }

  /// The texts of the pages in the folder, which other files share.
  private var written: [String: String] {
    get throws {
      let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".md") }
      let texts = try files.map { file in
        ("\(Self.folder)/\(file)", try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8))
      }
      return Dictionary(uniqueKeysWithValues: texts.filter { $0.1.hasPrefix(Self.mark) })
    }
  }

  /// The pages that differ from their articles, or have lost them.
  var stalePages: [String] {
    get throws {
      let (texts, written) = try (pages(), written)
      return Set(texts.keys).union(written.keys).sorted().filter { file in
        texts[file] != written[file]
      }.map { "\($0) differs from its article, or has none; `Tools/run documentation pages` writes or removes it" }
    }
  }

  func writePages() throws {
    let texts = try pages()
    for file in try written.keys where texts[file] == nil { try FileManager.default.removeItem(atPath: file) }
    for (file, text) in texts { try text.write(toFile: file, atomically: true, encoding: .utf8) }
  }
}
