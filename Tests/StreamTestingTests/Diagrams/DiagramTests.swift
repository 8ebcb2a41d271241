import Foundation
import StreamSchedulers
import StreamTesting
import Testing

/// The diagrams of the documentation are made here, from running the operators:
///
///     STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests
@Suite(.serialized)
struct DiagramTests {
  private static let isWriting = ProcessInfo.processInfo.environment["STREAMS_WRITE_DIAGRAMS"] != nil

  @Test(arguments: DiagramCatalog.all.map(\.name))
  func `the committed diagram shows what the operator does`(_ name: String) throws {
    let entry = try #require(DiagramCatalog.all.first { $0.name == name })
    let diagram = Canvas.diagram(of: entry)
    let folder = SourceTree.diagrams(of: entry.module)
    for (style, suffix) in [(MarbleDiagram.Style.light, ""), (.dark, "~dark")] {
      let file = folder.appendingPathComponent("diagram-\(name)\(suffix).svg")
      let svg = diagram.svg(style)
      if Self.isWriting {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try svg.write(to: file, atomically: true, encoding: .utf8)
      }
      let isCurrent = (try? String(contentsOf: file, encoding: .utf8)) == svg
      #expect(
        isCurrent,
        """
        \(file.lastPathComponent) does not show what \(entry.label) does now:
        \(diagram.text)
        Write it anew with STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests
        """)
    }
  }

  @Test(arguments: SourceTree.modules)
  func `there is no diagram that nothing makes`(_ module: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: SourceTree.diagrams(of: module).path)
    let names = DiagramCatalog.all.filter { $0.module == module }.map(\.name)
    let expected = names.flatMap { ["diagram-\($0).svg", "diagram-\($0)~dark.svg"] }
    #expect(Set(files.filter { $0.hasSuffix(".svg") }) == Set(expected))
    #expect(Set(expected).count == expected.count)
  }

  @Test(arguments: SourceTree.modules)
  func `a module's documentation shows all of its diagrams, and no others`(_ module: String) throws {
    let sources = try SourceTree.files(in: module).flatMap { $0 }
    let shown = Set(sources.compactMap(SourceTree.diagram(in:)))
    let made = Set(DiagramCatalog.all.filter { $0.module == module }.map(\.name))
    #expect(shown.subtracting(made).sorted() == [], "shown, but not in the catalog")
    #expect(made.subtracting(shown).sorted() == [], "in the catalog, but not shown")
  }

  @Test func `every operator has a diagram`() throws {
    let files = try SourceTree.files(in: "Streams/Operators") + SourceTree.files(in: "Streams/BeyondCombine")
    let operators = files.flatMap { SourceTree.operators(in: $0) }
    let names = Set(operators.map(\.name))
    let shown = Set(operators.filter(\.hasDiagram).map(\.name))
    #expect(names.count > 60, "operators are not found any more")
    #expect(names.subtracting(shown).sorted() == [])
  }
}

/// The sources of the package, read as text.
private enum SourceTree {
  static let modules = ["Streams", "StreamSchedulers"]

  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources")

  static func diagrams(of module: String) -> URL {
    sources.appendingPathComponent("\(module)/\(module).docc/Resources/Diagrams")
  }

  /// The lines of every file in a folder.
  static func files(in folder: String) throws -> [[String]] {
    let folder = sources.appendingPathComponent(folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    return try paths.sorted().map { path in
      try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
    }
  }

  /// The name of the diagram that a line of a doc comment shows.
  static func diagram(in line: String) -> String? {
    guard let start = line.range(of: "](diagram-"), line.hasSuffix(")"), line.contains("/// ![") else { return nil }
    return String(line[start.upperBound...].dropLast())
  }

  /// The public methods that a file adds to all publishers, and whether the comment above each shows a diagram.
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
