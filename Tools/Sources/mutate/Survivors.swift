import ArgumentParser
import ToolsSupport

struct Survivors: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the mutants that survived the last run and that nothing explains.")

  @OptionGroup var selection: Selection

  func run() throws {
    for result in try selection.unexplained(of: selection.files()) { say(result.line) }
  }
}
