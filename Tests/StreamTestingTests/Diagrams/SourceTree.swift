import Foundation

/// The sources of the package, read as text.
enum SourceTree {
  static let modules = ["Streams", "StreamAlgorithms", "StreamSchedulers"]

  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources")

  static func diagrams(of module: String) -> URL {
    sources.appendingPathComponent("\(module)/\(module).docc/Resources/Diagrams")
  }

  /// The names of the diagrams that the sources and articles of each module show.
  static let shownDiagrams = Dictionary(
    uniqueKeysWithValues: modules.map { module in
      let lines = (try? documents(of: module))?.flatMap(\.lines) ?? []
      return (module, Set(lines.compactMap { diagram(in: $0)?.name }))
    })

  /// A source file or an article.
  struct Document {
    let url: URL
    let lines: [String]

    var name: String { url.lastPathComponent }

    func write(_ lines: [String]) throws {
      try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
    }
  }

  /// The source files and the articles in a folder.
  static func documents(of folder: String) throws -> [Document] {
    let folder = sources.appendingPathComponent(folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.sorted().map { path in
      let url = folder.appendingPathComponent(path)
      return Document(url: url, lines: try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n"))
    }
  }

  /// A line that shows a diagram.
  struct Image {
    let name: String
    fileprivate let before: Substring
    fileprivate let after: Substring

    /// The line, with another alternative text.
    func replacingText(with text: String) -> String { "\(before)\(text)\(after)" }
  }

  /// The diagram that a line of a doc comment or of an article shows.
  static func diagram(in line: String) -> Image? {
    guard let start = line.range(of: "!["), let end = line.range(of: "](diagram-"), line.hasSuffix(")"),
      line[..<start.lowerBound].allSatisfy({ " /-".contains($0) })
    else { return nil }
    return Image(
      name: String(line[end.upperBound...].dropLast()), before: line[..<start.upperBound],
      after: line[end.lowerBound...])
  }

  /// The lines of the doc comments that show diagrams, with the names of those.
  static func commentsWithDiagrams(in lines: [String]) -> [(diagrams: [String], comment: [String])] {
    let texts = lines.map { $0.drop { $0 == " " } }
    return texts.split { !$0.hasPrefix("///") }.compactMap { comment in
      let comment = comment.map { String($0.dropFirst(4)) }
      let diagrams = comment.compactMap { diagram(in: $0)?.name }
      return diagrams.isEmpty ? nil : (diagrams, comment)
    }
  }

  /// The public methods that a file adds to all publishers, and whether the comment of each shows a diagram.
  static func operators(in lines: [String]) -> [(name: String, hasDiagram: Bool)] {
    var isInExtension = false
    var hasDiagram = false
    var operators: [(name: String, hasDiagram: Bool)] = []
    for line in lines {
      if !line.hasPrefix(" "), !line.isEmpty {
        isInExtension = ["extension Publisher ", "extension ConnectablePublisher "].contains { line.hasPrefix($0) }
      }
      if line.isEmpty { hasDiagram = false }
      if diagram(in: line) != nil { hasDiagram = true }
      if isInExtension, let declaration = line.firstMatch(of: #/^  public (__consuming )?func /#) {
        let name = line[declaration.range.upperBound...].prefix { $0 != "(" && $0 != "<" }
        operators.append((name.filter { $0 != "`" }, hasDiagram))
      }
    }
    return operators
  }
}
