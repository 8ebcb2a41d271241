import ArgumentParser
import Foundation
import SymbolGraphs
import ToolsSupport

@main struct Names: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the declarations in Tests/OwnNamesTests with the modules, and finds what belongs elsewhere.")

  @Flag(help: "Write the declarations.")
  var write = false

  func run() throws {
    let graphs = try SymbolGraph.ofPackage(
      modules: ["Streams", "StreamAlgorithms", "StreamSchedulers", "StreamFoundation"])
    let known = KnownNames(try String(contentsOfFile: "Tools/Names.txt", encoding: .utf8))
    let streams = graphs.filter { SymbolGraph.module(ofGraph: $0.key) == "Streams" }.values
    var mistakes = streams.flatMap(\.symbols.values).filter(known.isBeyondCombine).map(\.name).sorted().map { name in
      "Streams declares \(name), which Combine lacks: it belongs in StreamAlgorithms, or in Diagnostics if it explains mistakes"
    }
    for (name, text) in OwnNames(graphs.values.flatMap(\.symbols.values), known: known).files {
      let file = "Tests/OwnNamesTests/\(name).swift"
      if write { try text.write(toFile: file, atomically: true, encoding: .utf8) }
      let lines = try [text, String(contentsOfFile: file, encoding: .utf8)].map { $0.components(separatedBy: "\n") }
      let difference = lines[0].difference(from: lines[1])
      guard !difference.isEmpty else { continue }
      for change in difference {
        switch change {
        case .insert(_, let line, _): print("+\(line)")
        case .remove(_, let line, _): print("-\(line)")
        }
      }
      mistakes.append("\(file) differs from the modules; `Tools/run names --write` writes it")
    }
    try report(mistakes)
  }
}
