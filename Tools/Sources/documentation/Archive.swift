import Foundation
import SymbolGraphs
import ToolsSupport

/// The documentation that DocC has built of one module.
struct Archive {
  let module: String
  let folder: URL

  /// Builds the documentation of all modules, in which a warning is an error.
  static func all(of graphs: [String: SymbolGraph], in folder: URL) throws -> [Archive] {
    var archives: [Archive] = []
    for module in Library.modules {
      let archive = Archive(module: module, folder: folder.appendingPathComponent("\(module).doccarchive"))
      let inputs = folder.appendingPathComponent(module)
      try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
      for (name, graph) in graphs where SymbolGraph.module(ofGraph: name) == module {
        try JSONEncoder().encode(graph.trimmed()).write(to: inputs.appendingPathComponent("\(name).symbols.json"))
      }
      // The articles of the first module link to the second, which is built after it. It is checked when it is built again.
      try archive.build(from: inputs, linkingTo: archives, isStrict: !archives.isEmpty)
      archives.append(archive)
      if archives.count == 2 {
        try archives[0].build(
          from: folder.appendingPathComponent(archives[0].module), linkingTo: [archive], isStrict: true)
      }
    }
    return archives
  }

  private func build(from graphs: URL, linkingTo others: [Archive], isStrict: Bool) throws {
    let (ending, output) = try Command(
      program: "docc",
      arguments: [
        "convert", "Sources/\(module)/\(module).docc", "--additional-symbol-graph-dir", graphs.path,
        "--fallback-display-name", module, "--fallback-bundle-identifier", module,
        "--enable-experimental-external-link-support", "--output-path", folder.path,
      ] + others.flatMap { ["--dependency", $0.folder.path] } + (isStrict ? ["--warnings-as-errors"] : [])
    ).run()
    guard ending.isSuccess else { throw Failure(output) }
  }

  // MARK: Lists

  /// A list of this many members is read in a few seconds.
  private static let longestList = 12

  /// The lists that no article divides by purpose although they are long, and the names that the sidebar shows twice.
  var unclearLists: [String] {
    get throws {
      let data = folder.appendingPathComponent("data/documentation")
      let files = try FileManager.default.subpathsOfDirectory(atPath: data.path).filter { $0.hasSuffix(".json") }
      let long = try files.sorted().flatMap { file in
        let page = try JSONDecoder().decode(Page.self, from: Data(contentsOf: data.appendingPathComponent(file)))
        let sections = page.topicSections ?? []
        return sections.filter { $0.generated == true && $0.identifiers.count > Self.longestList }.map { section in
          "\(file): \(section.identifiers.count) members are listed alphabetically (\(section.title ?? "")):"
            + section.identifiers.map { "\n  \($0.components(separatedBy: "/documentation/").last!)" }.joined()
        }
      }
      let index = try Data(contentsOf: folder.appendingPathComponent("index/index.json"))
      let roots = try JSONDecoder().decode(Index.self, from: index).interfaceLanguages["swift"] ?? []
      return long + roots.flatMap { $0.ambiguousTitles(at: "") }.map { "the sidebar shows this more than once: \($0)" }
    }
  }

  private struct Page: Decodable {
    struct Section: Decodable {
      var title: String?
      var generated: Bool?
      var identifiers: [String]
    }

    var topicSections: [Section]?
  }

  private struct Index: Decodable {
    struct Node: Decodable {
      var title: String?
      var path: String?
      var children: [Node]?

      /// The titles that stand more than once under one symbol.
      func ambiguousTitles(at parent: String) -> [String] {
        let path = "\(parent)/\(title ?? "")"
        let titles = (children ?? []).filter { $0.path != nil }.compactMap(\.title)
        return Dictionary(grouping: titles) { $0 }.filter { $0.value.count > 1 }.keys.sorted().map { "\(path): \($0)" }
          + (children ?? []).flatMap { $0.ambiguousTitles(at: path) }
      }
    }

    var interfaceLanguages: [String: [Node]]
  }
}
