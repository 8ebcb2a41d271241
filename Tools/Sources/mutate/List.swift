import ArgumentParser
import ToolsSupport

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the mutants of the source files.")

  @OptionGroup var selection: Selection

  func run() throws {
    for mutant in try selection.files().flatMap(\.mutants) { say("\(mutant.kind.rawValue): \(mutant.line)") }
  }
}
