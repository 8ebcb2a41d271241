import Foundation
@_exported import SymbolKit
import ToolsSupport

public typealias Symbol = SymbolGraph.Symbol
public typealias Fragment = SymbolGraph.Symbol.DeclarationFragments.Fragment

extension SymbolGraph {
  /// Builds the package in the current folder, and extracts the graphs of some modules. They have the names of their files,
  /// such as `StreamAlgorithms@Streams` for what one module adds to another.
  public static func ofPackage(modules: [String]) throws -> [String: SymbolGraph] {
    // The status tells nothing: it is that of a failure for the modules of tests, which may not be built.
    let output = try Command(
      program: "swift",
      arguments: ["package", "dump-symbol-graph", "--skip-synthesized-members", "--emit-extension-block-symbols"]
    ).run().output
    guard let match = output.firstMatch(of: #/Files written to (.+)/#) else { throw Failure(output) }
    let folder = URL(fileURLWithPath: String(match.1))
    // Otherwise, the next run would find the graphs of modules that are gone by then.
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let graphs = try files.map { file in
      (file.lastPathComponent.replacing(".symbols.json", with: ""), file)
    }.filter { modules.contains(module(ofGraph: $0.0)) }.map { name, file in
      (name, try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file)))
    }
    return Dictionary(uniqueKeysWithValues: graphs)
  }

  /// The module to which a graph of this name belongs.
  public static func module(ofGraph name: String) -> String { name.components(separatedBy: "@")[0] }
}
