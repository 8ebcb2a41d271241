import Foundation
import Mutants

/// Reasons why mutants survive, each with the mutants for which it holds.
struct Explanations {
  struct Group: Codable {
    /// What kind of mutants these are, such as `speed`: the result is the same, later or with more work.
    let kind: String
    /// Why no test can, or should, notice these mutants.
    let reason: String
    /// The keys of the mutants, or `* | *.member | original -> replacement` for those of a member in any file and type.
    let mutants: [String]
  }

  let groups: [Group]
  private let explained: Set<String>

  init(_ url: URL) throws {
    groups = try (try? Data(contentsOf: url)).map { try JSONDecoder().decode([Group].self, from: $0) } ?? []
    explained = Set(groups.flatMap(\.mutants))
  }

  func explain(_ mutant: Mutant) -> Bool {
    let member = mutant.place.split(separator: ".").last ?? ""
    return explained.contains(mutant.key)
      || explained.contains("* | *.\(member) | \(mutant.original) -> \(mutant.replacement)")
  }

  /// The keys of a group that belong to no mutant of the given files.
  func outdated(in files: [MutatedFile]) -> [String] {
    let paths = Set(files.map(\.path))
    let keys = Set(files.flatMap(\.mutants).map(\.key))
    return explained.filter { key in paths.contains { key.hasPrefix("\($0) | ") } && !keys.contains(key) }.sorted()
  }
}
