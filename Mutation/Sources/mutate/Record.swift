import Foundation
import Mutants

/// What is kept of runs beside the sources: which code has been tested, and why some mutants survive.
struct Record: Codable {
  struct File: Codable {
    /// The fingerprint of the code whose mutants were run.
    var fingerprint: String
    /// The number of mutants that compile, and how many of them were run.
    var mutants: Int
    var run: Int
    var found: Int
    var survived: Int
    var unreached: Int
  }

  var files: [String: File] = [:]

  init(_ url: URL) throws {
    guard let data = try? Data(contentsOf: url) else { return }
    self = try JSONDecoder().decode(Record.self, from: data)
  }

  func write(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + [10]).write(to: url)
  }

  /// Notes what became of the mutants of some files.
  mutating func note(_ results: [Result], of files: [MutatedFile], compiled: [String: Int]) {
    let byFile = Dictionary(grouping: results, by: \.mutant.file)
    for file in files {
      let results = byFile[file.path] ?? []
      func count(_ outcomes: Result.Outcome...) -> Int { results.count { outcomes.contains($0.outcome) } }
      self.files[file.path] = File(
        fingerprint: file.fingerprint, mutants: compiled[file.path] ?? 0, run: results.count,
        found: count(.found, .hung),
        survived: count(.survived), unreached: count(.unreached))
    }
  }
}

/// Reasons why mutants survive, each with the mutants for which it holds.
struct Explanations {
  struct Group: Codable {
    /// What kind of mutants these are, such as `speed`: the result is the same, later or with more work.
    let kind: String
    /// Why no test can, or should, notice these mutants.
    let reason: String
    /// The keys of the mutants.
    let mutants: [String]
  }

  let groups: [Group]
  private let explained: Set<String>

  init(_ url: URL) throws {
    groups = try (try? Data(contentsOf: url)).map { try JSONDecoder().decode([Group].self, from: $0) } ?? []
    explained = Set(groups.flatMap(\.mutants))
  }

  func explain(_ mutant: Mutant) -> Bool { explained.contains(mutant.key) }

  /// The keys of a group that belong to no mutant of the given files.
  func outdated(in files: [MutatedFile]) -> [String] {
    let paths = Set(files.map(\.path))
    let keys = Set(files.flatMap(\.mutants).map(\.key))
    return explained.filter { key in paths.contains { key.hasPrefix("\($0) | ") } && !keys.contains(key) }.sorted()
  }
}
