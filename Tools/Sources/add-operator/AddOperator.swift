import ArgumentParser
import Foundation
import ToolsSupport

@main struct AddOperator: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Tools/run operator",
    abstract: "Writes what a new operator needs, says what is missing, and runs what belongs to it.",
    discussion: """
      Call it again and again: it writes each artifact once, lists the places that you have yet to fill in (`<#…#>`), and, \
      once there are none, generates the pictures, pages and names, and runs the tests.
      """)

  @Argument(help: "The operator as it is declared, such as `everyNth(_ count: Int)`.")
  var signature: Signature

  @Option(help: "A call for examples and tests, such as `everyNth(2)`.")
  var example: String?

  @Option(help: "The folder of StreamAlgorithms that it belongs in.")
  var group = Group.Transforming

  @Option(help: "A file of Sources to begin with a copy of, such as `Timing/Sample.swift`.")
  var like: String?

  @Option(help: "The number of publishers whose values it takes.")
  var sources = 1

  @Flag(help: "Only says what is missing.")
  var list = false

  @Flag(help: "Leaves the mutants of its file out, which take some minutes.")
  var withoutMutants = false

  func validate() throws {
    guard [1, 2].contains(sources) else { throw ValidationError("--sources must be 1 or 2, got \(sources).") }
    if let like, try neighbors(like).count != 1 {
      throw ValidationError(
        "--like must be the end of one path in Sources, got \(like), which is that of \(try neighbors(like)).")
    }
  }

  private func neighbors(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "Sources").filter { "/\($0)".hasSuffix("/\(path)") }
  }

  func run() throws {
    let artifacts = try Artifacts(
      of: signature, example: example, in: group, like: like.flatMap { try neighbors($0).first }, sources: sources)
    var isFinished = true
    for artifact in artifacts.all {
      if !list { _ = try artifact.write() }
      let state = try artifact.state()
      if state != .finished { isFinished = false }
      say(artifact.description(of: state))
    }
    guard !list else { return }
    guard isFinished else {
      say("\nFill in the places above and call this again. CONTRIBUTING.md and the neighbors in each file help.")
      return
    }
    for check in artifacts.checks(withMutants: !withoutMutants) { try check.run() }
    say("\n\(signature.text) has what it needs. `.ci/run` checks everything else.")
  }
}
