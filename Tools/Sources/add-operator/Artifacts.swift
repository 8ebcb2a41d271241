import Foundation
import ToolsSupport

/// All that an operator needs.
struct Artifacts {
  let all: [Artifact]
  private let signature: Signature
  private let source: String

  init(
    of signature: Signature, example: String?, in group: Group, like neighbor: String?, sources: Int
  ) throws {
    let skeletons = Skeletons(of: signature, example: example, sources: sources)
    let (name, type, places) = (signature.name, signature.typeName, group.places)
    let documentation = "Sources/StreamAlgorithms/StreamAlgorithms.docc"
    let source = "Sources/StreamAlgorithms/\(group.rawValue)/\(type).swift"
    let operation = try neighbor.map { try skeletons.copy(of: $0) } ?? skeletons.operator
    var all = [
      Artifact(
        purpose: "the operator, with its documentation", file: source, mark: "func \(name)",
        text: operation, place: .file),
      Artifact(
        purpose: "its tests", file: "Tests/StreamAlgorithmsTests/\(group.rawValue)/\(type)Tests.swift",
        mark: "struct \(type)Tests", text: skeletons.tests, place: .file),
      Artifact(
        purpose: "an entry of the contract, so that every law is tested with it",
        file: "Tests/StreamsTests/Contract/BeyondCombine\(places.contract)Entries.swift",
        mark: "CatalogEntry(\"\(name)", text: skeletons.contract, place: .beforeLast("  ]")),
      Artifact(
        purpose: "its diagram",
        file: "Tests/StreamTestingTests/Diagrams/DiagramCatalog+BeyondCombine\(places.diagrams).swift",
        mark: "(\"\(name)\"", text: skeletons.diagram, place: .beforeLast("  ]")),
      Artifact(
        purpose: "its specification",
        file: "Tests/SpecificationTests/Operators/\(sources == 2 ? "Combining" : places.specification).swift",
        mark: "struct \(type): ", text: skeletons.specification, place: .end),
      Artifact(
        purpose: "a line that puts it into random streams", file: "Tests/SpecificationTests/RandomCase.swift",
        mark: ": \(type)(", text: skeletons.randomCase,
        place: .custom { try Self.adding($1, to: sources == 2 ? "binary" : "unary", of: $0) }),
      Artifact(
        purpose: "what the compiler says of it where StreamAlgorithms is not imported",
        file: "Sources/Streams/Diagnostics/Publisher+StreamAlgorithms.swift", mark: "func \(name)",
        text: skeletons.explanation, place: .behindFirst("extension Publisher {")),
      Artifact(
        purpose: "a line of the gallery", file: "\(documentation)/Algorithms.md",
        mark: "Publisher/\(signature.text)", text: skeletons.gallery, place: .section(places.gallery)),
      Artifact(
        purpose: "a line of the list of operators", file: "\(documentation)/Index/Publisher.md",
        mark: "Publisher/\(signature.text)", text: "- ``Streams/Publisher/\(signature.text)``",
        place: .section(places.index)),
      Artifact(
        purpose: "a line of the list of types", file: "\(documentation)/StreamAlgorithms.md",
        mark: "``\(type)Publisher``", text: "- ``\(type)Publisher``", place: .section(places.types)),
      Artifact(
        purpose: "a line of the changelog", file: "CHANGELOG.md", mark: "`\(name)(",
        text: "  - `\(signature.text)`", place: .behind(prefix: "  - `mapToPhase()")),
    ]
    // An engine, which several threads may enter.
    let code = (try? String(contentsOfFile: source, encoding: .utf8)) ?? operation
    if code.contains(#/class \w+: \w*Engine\b/#) {
      all.append(
        Artifact(
          purpose: "scenarios of two threads that meet in its engine",
          file: "Tests/ExplorerTests/EngineScenarios.swift",
          mark: "(\"\(name)\"", text: skeletons.scenario, place: .behind(prefix: "    (\"sample\"")))
    }
    self.all = all
    self.signature = signature
    self.source = source
  }

  /// Adds a case to a function that chooses an operator by a random number.
  static func adding(_ operation: String, to function: String, of source: String) throws -> String {
    var lines = source.components(separatedBy: "\n")
    guard let start = lines.firstIndex(where: { $0.contains("func \(function)()") }),
      let choice = lines[start...].firstIndex(where: { $0.contains("switch any(0...") }),
      let last = lines[choice].firstMatch(of: #/any\(0\.\.\.(\d+)\)/#).flatMap({ Int($0.1) }),
      let fallback = lines[choice...].firstIndex(where: { $0.contains("default:") })
    else { throw Failure("RandomCase.swift has no \(function)() that chooses by a number. Has it been changed?") }
    lines[choice] = lines[choice].replacing("0...\(last)", with: "0...\(last + 1)")
    lines.insert("    case \(last): \(operation)", at: fallback)
    return lines.joined(separator: "\n")
  }

  /// What is generated, and what runs, once all artifacts are written.
  func checks(withMutants: Bool) -> [Check] {
    let files = all.map(\.file).filter { $0.hasSuffix(".swift") }.joined(separator: " ")
    let suites = [
      "\(signature.typeName)Tests", "ContractTests", "ContextLawTests", "InspectionLawTests", "CatalogConformanceTests",
      "DiagramTests", "SpecificationTests",
    ]
    let own = "swift test --skip-build --filter '\\.\(signature.typeName)Tests/'"
    var checks = [
      Check("Build of the package with its tests, which takes minutes the first time", "swift build --build-tests"),
      Check("Its own tests", own),
      Check("Format", "swift format --in-place \(files) && swift format lint --strict \(files)"),
      Check(
        "Tests of the operator, laws, random streams, and the pictures and captions of diagrams, which are written",
        "STREAMS_WRITE_DIAGRAMS=1 swift test --filter '\(suites.map { "\\.\($0)/" }.joined(separator: "|"))'"),
      Check("Names that a program may have itself, which are written", "swift build && Tools/run names --write"),
      Check("Pages, which are written", "Tools/run documentation pages"),
      Check("Documentation", "Tools/run documentation"),
      Check("Rules", "Tools/run rules"),
    ]
    if all.contains(where: { $0.file.hasPrefix("Tests/ExplorerTests") }) {
      checks.append(Check("Orders of threads", "Tools/run explore 20000"))
    }
    if withMutants {
      checks.append(
        Check(
          "Mutants, for which a copy of the package is built: some minutes",
          "Tools/run mutate run \(source) --fresh --patience 20", summary: "Sources/StreamAlgorithms"))
    }
    return checks
  }
}
