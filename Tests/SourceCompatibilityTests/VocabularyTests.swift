import Foundation
import Testing

/// The tables of Combine's symbols in an article, checked against the sources and the tests.
struct VocabularyTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The rows of the tables in the section about Combine: symbols, tests.
  private static func rows() throws -> [[String]] {
    let file = package.appendingPathComponent("Sources/Streams/Streams.docc/ComingFromOtherLibraries.md")
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let section = lines.drop { $0 != "## Combine" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    return section.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| symbol") && !$0.hasPrefix("| ---") }
      .map { $0.components(separatedBy: " | ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "| ")) } }
  }

  /// The text in code voice.
  private static func code(in text: String) -> [String] {
    text.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
  }

  private static func swiftFiles(in folder: String) throws -> [URL] {
    let folder = package.appendingPathComponent(folder)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.map { folder.appendingPathComponent($0) }
  }

  /// The names of the public methods that a file adds to all publishers.
  private static func operators(in file: URL) throws -> [String] {
    var isInExtension = false
    var names: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
      if !line.hasPrefix(" "), !line.isEmpty {
        isInExtension = ["extension Publisher ", "extension ConnectablePublisher "].contains { line.hasPrefix($0) }
      }
      if isInExtension, let declaration = line.firstMatch(of: #/^  public (__consuming )?func /#) {
        let name = line[declaration.range.upperBound...].prefix { $0 != "(" && $0 != "<" }
        names.append(name.filter { $0 != "`" })
      }
    }
    return names
  }

  @Test func `the section lists every operator`() throws {
    let named = Set(try Self.rows().flatMap { Self.code(in: $0[0]) }.map { String($0.prefix { $0 != "(" }) })
    let files = try Self.swiftFiles(in: "Sources/Streams/Operators")
    let operators = Set(try files.flatMap { try Self.operators(in: $0) })
    #expect(operators.count > 60, "operators are not found any more")
    #expect(operators.subtracting(named).sorted() == [])
  }

  @Test func `every test suite that the section names exists`() throws {
    var types: Set<Substring> = []
    for file in try Self.swiftFiles(in: "Tests") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for keyword in ["struct ", "class "] {
        for part in text.components(separatedBy: keyword).dropFirst() { types.insert(part.prefix { $0.isLetter }) }
      }
    }
    let rows = try Self.rows()
    #expect(rows.count > 90)
    for row in rows {
      #expect(row.count == 2, "\(row)")
      for name in Self.code(in: row.last ?? "") {
        #expect(types.contains("\(name)"), "\(name)")
      }
    }
  }
}
