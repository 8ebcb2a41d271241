import ArgumentParser
import OpenCombineDemand
import StreamsDemand
import Workloads

/// Compares the demand that operators pass upstream with that of OpenCombine's.
struct Demand: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares the upstream demand of each operator with OpenCombine's.",
    discussion: """
      Runs each operator with several scripts of demand, and records what is requested from its sources and what its \
      subscriber receives, at the subscription and after each event. A source sends a value only if it has been \
      requested, and drops it otherwise. Fails when there is a difference that demand.json does not accept, or when \
      that file accepts a difference that does not exist.
      """)

  @Flag(help: "Print accepted differences, too.")
  var accepted = false

  @Flag(help: "Print the operators and scripts without a difference, too.")
  var all = false

  @Option(help: "The file with accepted differences.")
  var file = Files.package.appendingPathComponent("demand.json").path

  /// A difference that is intended.
  private struct Difference: Codable {
    var operators: [String]
    /// The scripts to which this applies, or `nil` for all.
    var scripts: [DemandScript]?
    /// The reason in one sentence, which names the row of the article "From Combine" that states the difference, if there is one.
    var reason: String
  }

  private struct Case: Hashable {
    let name: String
    let script: DemandScript
  }

  func run() throws {
    let reasons = try reasons()
    let (theirs, ours) = (OpenCombineDemand.transcripts(), StreamsDemand.transcripts())
    var unused = Set(reasons.keys)
    var complaints: [String] = []
    for (theirs, ours) in zip(theirs, ours) {
      let reason = reasons[Case(name: ours.name, script: ours.script)]
      guard isDifferent(theirs, ours) else {
        if all { show(theirs, ours, remark: "the same") }
        continue
      }
      unused.remove(Case(name: ours.name, script: ours.script))
      if reason == nil { complaints.append("\(ours.name), \(ours.script.rawValue)") }
      if reason == nil || accepted || all { show(theirs, ours, remark: reason ?? "not accepted") }
    }
    var findings = Findings()
    if !complaints.isEmpty {
      findings.complaints.append(
        "\(complaints.count) differences are not accepted: \(complaints.joined(separator: "; "))")
    }
    findings.complaints += unused.map { "\($0.name), \($0.script.rawValue): is accepted, but does not differ" }.sorted()
    try findings.report(
      success: """
        \(ours.count) transcripts, \(reasons.count) accepted differences. OpenCombine lacks \
        \(StreamsDemand.missing.joined(separator: ", ")).
        """)
  }

  private func reasons() throws -> [Case: String] {
    var reasons: [Case: String] = [:]
    for difference in try Files.read([Difference].self, from: file) {
      for name in difference.operators {
        for script in difference.scripts ?? DemandScript.allCases {
          reasons[Case(name: name, script: script)] = difference.reason
        }
      }
    }
    return reasons
  }

  private func isDifferent(_ theirs: DemandTranscript, _ ours: DemandTranscript) -> Bool {
    zip(theirs.steps, ours.steps).contains { $0.effects != $1.effects }
  }

  private func show(_ theirs: DemandTranscript, _ ours: DemandTranscript, remark: String) {
    var rows = [("", "event", "OpenCombine", "Streams")]
    for (theirs, ours) in zip(theirs.steps, ours.steps) {
      rows.append((theirs.effects == ours.effects ? " " : "≠", ours.event, theirs.effects, ours.effects))
    }
    let widths = (rows.map(\.1.count).max()!, rows.map(\.2.count).max()!)
    print("\(ours.name) – \(ours.script.rawValue): \(ours.script.explanation) (\(remark))\n")
    for (mark, event, theirs, ours) in rows {
      print("  \(mark.padded(to: 1)) \(event.padded(to: widths.0))  \(theirs.padded(to: widths.1))  \(ours)")
    }
    print()
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
