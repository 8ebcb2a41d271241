import ArgumentParser
import Foundation
import Workloads

/// Measures the compiled size of an app that uses Streams, and the time to compile it.
struct Size: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the size of compiled programs, and the time of the compiler.",
    discussion: """
      Compiles the same programs against Streams and against OpenCombine, with the modules beside this program. Ratios \
      are those of one run; accepted sizes are those of one version of Swift.
      """)

  @Argument(help: "The programs, or all.")
  var programs: [ClientProgram] = []

  @Flag(help: "Compile only two small programs, which takes a few seconds.")
  var brief = false

  @Flag(name: .customLong("guard"), help: "Fail if a program takes more than was accepted or promised.")
  var isGuard = false

  @Flag(help: "Accept the sizes of these programs.")
  var accept = false

  @Option(help: "A file to write the results to.")
  var json: String?

  @Option(help: "The file with the accepted sizes and the goals.")
  var file = Files.package.appendingPathComponent("sizes.json").path

  func run() throws {
    guard !Build.isDebug else {
      throw Failure("Sizes require the modules of a release build: swift run -c release …")
    }
    var results = SizeResults()
    for program in programs.isEmpty ? (brief ? ClientProgram.brief : ClientProgram.allCases) : programs {
      for name in ImplementationName.besideOneAnother {
        Progress.show("\(program.rawValue) of \(name.title)")
        results.figures[program, default: [:]][name] = try ClientCompiler().figure(program, name)
      }
      if let json { try Files.write(results, to: json) }
    }
    Progress.end()
    print("Code and compile time of programs, Swift \(results.swift)\n\n\(results.table.plain)\n")
    if accept || isGuard { try compare(results) }
  }

  private func compare(_ results: SizeResults) throws {
    var limits = try Files.read(SizeLimits.self, from: file)
    if accept {
      limits.accept(results)
      try Files.write(limits, to: file)
      return print("The accepted sizes have been updated.")
    }
    if limits.swift != results.swift {
      print("The accepted sizes were measured with Swift \(limits.swift): only ratios are compared.")
    }
    let findings = limits.findings(results)
    for goal in limits.missedGoals(results) { print("Not reached yet: \(goal)") }
    try findings.report(
      command: "swift run -c release --package-path Benchmarks Benchmarks size --accept",
      success: "No program exceeds its limit.")
  }
}

extension ClientProgram: ExpressibleByArgument {}

/// The sizes of compiled programs, in the form in which they are written to a file.
struct SizeResults: Codable {
  var swift = Build.swiftVersion
  var figures: [ClientProgram: [ImplementationName: ClientCompiler.Figure]] = [:]

  /// Returns the ratio of Streams' figure to OpenCombine's.
  func ratio(_ program: ClientProgram, _ aspect: SizeLimits.Aspect) -> Double? {
    guard let streams = figures[program]?[.streams], let peer = figures[program]?[.openCombine] else { return nil }
    return switch aspect {
    case .text: Double(streams.text) / Double(peer.text)
    case .seconds: streams.seconds / peer.seconds
    }
  }

  var table: Table {
    var table = Table(header: [
      "Program", "bytes of code", "OpenCombine", "ratio", "bytes per operator", "OpenCombine",
      "seconds of compiling",
      "OpenCombine", "ratio",
    ])
    for program in ClientProgram.allCases {
      guard let streams = figures[program]?[.streams], let peer = figures[program]?[.openCombine] else { continue }
      func ratio(_ aspect: SizeLimits.Aspect) -> String { self.ratio(program, aspect)?.times ?? "–" }
      func perOperator(_ figure: ClientCompiler.Figure) -> String {
        program.operators.map { (figure.text / $0).grouped } ?? "–"
      }
      table.rows.append([
        program.rawValue, streams.text.grouped, peer.text.grouped, ratio(.text), perOperator(streams),
        perOperator(peer), streams.seconds.formatted(digits: 1), peer.seconds.formatted(digits: 1), ratio(.seconds),
      ])
    }
    return table
  }
}

/// The permitted sizes of compiled programs: the file `sizes.json`.
struct SizeLimits: Codable {
  /// The quantities that are compared.
  enum Aspect: String, CaseIterable, Codable, CodingKeyRepresentable {
    case text
    case seconds

    var explanation: String {
      switch self {
      case .text: "the code"
      case .seconds: "the compiler's time"
      }
    }
  }

  struct Entry: Codable {
    /// The number of bytes that was last accepted.
    var accepted: Int
    /// The maximum ratios to OpenCombine's figures, if they have been promised.
    var ceilings: [Aspect: Double]?
    /// The ratios to OpenCombine's figures that are to be reached one day.
    var goals: [Aspect: Double]?
  }

  /// The version of Swift to which the accepted sizes belong.
  var swift: String
  var programs: [ClientProgram: Entry]

  static let allowedPercent = 3

  mutating func accept(_ results: SizeResults) {
    swift = results.swift
    for (program, figures) in results.figures {
      guard let figure = figures[.streams] else { continue }
      programs[program, default: Entry(accepted: 0)].accepted = figure.text
    }
  }

  func findings(_ results: SizeResults) -> Findings {
    var findings = Findings()
    for program in ClientProgram.allCases {
      guard let figure = results.figures[program]?[.streams] else { continue }
      guard let entry = programs[program] else {
        findings.complaints.append("\(program.rawValue) has no accepted size")
        continue
      }
      if swift == results.swift {
        findings.compare(
          figure.text, program.rawValue, "bytes of code", accepted: entry.accepted, allowedPercent: Self.allowedPercent)
      }
      findings.complaints += excesses(program, entry.ceilings, results).map { "\($0) promised" }
    }
    return findings
  }

  func missedGoals(_ results: SizeResults) -> [String] {
    ClientProgram.allCases.flatMap { excesses($0, programs[$0]?.goals, results) }
  }

  /// Returns the cases in which a program exceeds the given ratios to OpenCombine's figures.
  private func excesses(
    _ program: ClientProgram, _ limits: [Aspect: Double]?, _ results: SizeResults
  ) -> [String] {
    Aspect.allCases.compactMap { aspect in
      guard let limit = limits?[aspect], let ratio = results.ratio(program, aspect), ratio > limit else { return nil }
      return "\(program.rawValue): \(aspect.explanation) is \(ratio.times) OpenCombine's in place of the \(limit.times)"
    }
  }
}
