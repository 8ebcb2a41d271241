import Foundation
import StreamSchedulers
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
}
