import Foundation
import StreamSchedulers
import Testing

/// The diagrams of the documentation are made here, from running the operators:
///
///     STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests
@Suite(.serialized)
struct DiagramTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = package.appendingPathComponent("Sources/Streams/Streams.docc/Resources/Diagrams")
  private static let isWriting = ProcessInfo.processInfo.environment["STREAMS_WRITE_DIAGRAMS"] != nil

  @Test(arguments: DiagramCatalog.all.map(\.name))
  func `the committed diagram shows what the operator does`(_ name: String) throws {
    let entry = try #require(DiagramCatalog.all.first { $0.name == name })
    let diagram = Canvas.diagram(of: entry)
    for (style, suffix) in [(MarbleDiagram.Style.light, ""), (.dark, "~dark")] {
      let file = Self.folder.appendingPathComponent("diagram-\(name)\(suffix).svg")
      let svg = diagram.svg(style)
      if Self.isWriting {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        try svg.write(to: file, atomically: true, encoding: .utf8)
      }
      let committed = try? String(contentsOf: file, encoding: .utf8)
      #expect(
        committed == svg,
        """
        \(file.lastPathComponent) does not show what \(entry.label) does now:
        \(diagram.text)
        Write it anew with STREAMS_WRITE_DIAGRAMS=1 swift test --filter DiagramTests
        """)
    }
  }

  @Test func `there is no diagram that nothing makes`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".svg") }
    let expected = DiagramCatalog.all.flatMap { ["diagram-\($0.name).svg", "diagram-\($0.name)~dark.svg"] }
    #expect(Set(files) == Set(expected))
    #expect(Set(expected).count == expected.count)
  }
}
