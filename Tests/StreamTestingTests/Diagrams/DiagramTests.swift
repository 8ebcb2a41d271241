import Foundation
import StreamSchedulers
import StreamTesting
import Testing

/// The diagrams of the documentation, and the sentences that stand for them, are made here, from running the operators:
///
///     STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests
@Suite(.serialized)
struct DiagramTests {
  private static let isWriting = ProcessInfo.processInfo.environment["STREAMS_WRITE_DIAGRAMS"] != nil
  private static let howToWrite = "Write it anew with STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests"
  private static let diagrams = Dictionary(
    uniqueKeysWithValues: DiagramCatalog.all.map { ($0.name, Canvas.diagram(of: $0)) })

  @Test(arguments: DiagramCatalog.all.map(\.name))
  func `the committed diagram shows what the operator does`(_ name: String) throws {
    let entry = try #require(DiagramCatalog.all.first { $0.name == name })
    let diagram = Canvas.diagram(of: entry)
    for module in entry.modules {
      let folder = SourceTree.diagrams(of: module)
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
          \(Self.howToWrite)
          """)
      }
    }
  }

  @Test(arguments: SourceTree.modules)
  func `the text beside each picture is the caption of the diagram`(_ module: String) throws {
    for file in try SourceTree.documents(of: module) {
      let lines = file.lines.map { line in
        guard let image = SourceTree.diagram(in: line), let diagram = Self.diagrams[image.name] else { return line }
        return image.replacingText(with: diagram.caption)
      }
      if Self.isWriting, lines != file.lines { try file.write(lines) }
      for (line, expected) in zip(file.lines, lines) where line != expected && !Self.isWriting {
        Issue.record("\(file.name) has the text: \(line)\nwhere it should be: \(expected)\n\(Self.howToWrite)")
      }
    }
  }

  @Test func `captions are sentences that are short enough`() {
    for (name, diagram) in Self.diagrams {
      #expect(diagram.caption.count <= 200, "\(name): \(diagram.caption)")
      #expect(diagram.caption.hasSuffix("."), "\(name): \(diagram.caption)")
      // In the text of an image, these would be read as Markdown.
      #expect(!diagram.caption.contains { "*_`\\".contains($0) }, "\(name): \(diagram.caption)")
      #expect(diagram.caption.count { $0 == "[" } == diagram.caption.count { $0 == "]" }, "\(name)")
    }
  }

  @Test(arguments: SourceTree.modules)
  func `there is no diagram that nothing makes`(_ module: String) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: SourceTree.diagrams(of: module).path)
    let names = DiagramCatalog.all.filter { $0.modules.contains(module) }.map(\.name)
    let expected = names.flatMap { ["diagram-\($0).svg", "diagram-\($0)~dark.svg"] }
    #expect(Set(files.filter { $0.hasSuffix(".svg") }) == Set(expected))
    #expect(Set(expected).count == expected.count)
  }

  @Test(arguments: SourceTree.modules)
  func `a module's documentation shows all of its diagrams, and no others`(_ module: String) throws {
    let lines = try SourceTree.documents(of: module).flatMap(\.lines)
    let shown = Set(lines.compactMap { SourceTree.diagram(in: $0)?.name })
    let made = Set(DiagramCatalog.all.filter { $0.modules.contains(module) }.map(\.name))
    #expect(shown.subtracting(made).sorted() == [], "shown, but not in the catalog")
    #expect(made.subtracting(shown).sorted() == [], "in the catalog, but not shown")
  }

  @Test func `the comment of an operator or a type shows each diagram of the catalog`() throws {
    let files = try SourceTree.modules.flatMap { try SourceTree.documents(of: $0) }.filter {
      $0.name.hasSuffix(".swift")
    }
    let shown = files.flatMap(\.lines).compactMap { SourceTree.diagram(in: $0)?.name }
    #expect(shown.sorted() == DiagramCatalog.all.map(\.name).sorted())
  }

  @Test func `the gallery shows each diagram of the catalog once`() throws {
    let gallery = try #require(try SourceTree.documents(of: "Streams").first { $0.name == "Operators.md" })
    let shown = gallery.lines.compactMap { SourceTree.diagram(in: $0)?.name }
    #expect(shown.sorted() == DiagramCatalog.all.map(\.name).sorted())
  }

  @Test func `every operator has a diagram`() throws {
    let files = try ["Streams/Operators", "Streams/BeyondCombine"].flatMap { try SourceTree.documents(of: $0) }
    let operators = files.flatMap { SourceTree.operators(in: $0.lines) }
    let names = Set(operators.map(\.name))
    let shown = Set(operators.filter(\.hasDiagram).map(\.name))
    #expect(names.count > 60, "operators are not found any more")
    #expect(names.subtracting(shown).sorted() == [])
  }
}
