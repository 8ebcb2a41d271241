import Foundation
import Testing
import ToolsSupport

@testable import add_operator

@Suite struct ArtifactTests {
  private let signature = Signature(argument: "everyNth(_ count: Int, from start: (Int) -> Int)")!

  private func inserted(_ text: String, at place: Artifact.Place, into old: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("artifact-\(UUID().uuidString)")
    try old.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let artifact = Artifact(purpose: "a line", file: file.path, mark: text, text: text, place: place)
    #expect(try artifact.write())
    // It is written once.
    #expect(try !artifact.write())
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `a signature has a name and labels`() {
    #expect(signature.name == "everyNth")
    #expect(signature.typeName == "EveryNth")
    #expect(signature.text == "everyNth(_:from:)")
    #expect(signature.call == "everyNth(<#count#>, from: <#start#>)")
    #expect(Signature(argument: "toggle()")?.text == "toggle()")
    #expect(signature.parameters.map(\.type) == ["Int", "(Int) -> Int"])
    #expect(Signature(argument: "everyNth(_:)") == nil)
    #expect(Signature(argument: "EveryNth()") == nil)
    #expect(Signature(argument: "everyNth") == nil)
  }

  @Test func `a line goes to the end of its section`() throws {
    let old = "# A\n\n## B\n\n- b\n\n## C\n\n- c\n"
    #expect(try inserted("- x", at: .section("## B"), into: old) == "# A\n\n## B\n\n- b\n- x\n\n## C\n\n- c\n")
    #expect(try inserted("- x", at: .section("## C"), into: old) == "# A\n\n## B\n\n- b\n\n## C\n\n- c\n- x\n")
  }

  @Test func `an entry goes before the end of its list`() throws {
    #expect(
      try inserted("    x,", at: .beforeLast("  ]"), into: "[\n    a,\n  ]\n}\n") == "[\n    a,\n    x,\n  ]\n}\n")
  }

  @Test func `a file without its place is named`() throws {
    let artifact = Artifact(
      purpose: "a line", file: "Package.swift", mark: "there is none of this", text: "x", place: .section("## Nowhere"))
    #expect(throws: Failure.self) { try artifact.write() }
  }

  @Test func `a random choice gets one more case`() throws {
    let old = "func unary() {\n  switch any(0...7) {\n  case 0: A()\n  default: Z()\n  }\n}"
    #expect(
      try Artifacts.adding("EveryNth()", to: "unary", of: old)
        == "func unary() {\n  switch any(0...8) {\n  case 0: A()\n    case 7: EveryNth()\n  default: Z()\n  }\n}")
  }

  @Test func `what is yet to be filled in is named by its lines`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("artifact-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let artifact = Artifact(purpose: "the operator", file: file.path, mark: "f", text: "f\n<#x#>\n", place: .file)
    #expect(try artifact.state() == .missing)
    _ = try artifact.write()
    #expect(try artifact.state() == .unfinished([2]))
    try "f\ng\n".write(to: file, atomically: true, encoding: .utf8)
    #expect(try artifact.state() == .finished)
  }

  @Test func `every group has places in files that exist`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      .standardized
    func lines(_ path: String) throws -> [String] {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
    }
    let documentation = "Sources/StreamAlgorithms/StreamAlgorithms.docc"
    for group in Group.allCases {
      let places = group.places
      #expect(try lines("\(documentation)/Algorithms.md").contains(places.gallery), "\(group)")
      #expect(try lines("\(documentation)/Index/Publisher.md").contains(places.index), "\(group)")
      #expect(try lines("\(documentation)/StreamAlgorithms.md").contains(places.types), "\(group)")
      #expect(try lines("Tests/StreamsTests/Contract/BeyondCombine\(places.contract)Entries.swift").contains("  ]"))
      #expect(
        try lines("Tests/StreamTestingTests/Diagrams/DiagramCatalog+BeyondCombine\(places.diagrams).swift")
          .contains("  ]"))
      #expect(try !lines("Tests/SpecificationTests/Operators/\(places.specification).swift").isEmpty)
    }
  }
}
