import ArgumentParser
import Foundation
import Mutants

/// Which mutants a command is about, and where it keeps what it finds out.
struct Selection: ParsableArguments {
  @Argument(help: "Source files and folders of the package. All sources if none is named.")
  var paths: [String] = []

  @Option(help: "The package.")
  var package = "."

  @Option(help: "Where the copy is built and results are kept. `.build-mutation` in the package by default.")
  var scratch: String?

  @Option(help: "Why mutants survive. `Tools/explained-mutants.json` in the package by default.")
  var explained: String?

  @Option(help: "Only mutants of lines that have changed since this commit.")
  var since: String?

  @Option(help: "Only mutants of this kind. May be repeated.")
  var kind: [Mutant.Kind] = []

  @Option(help: "Only every Nth mutant.")
  var every = 1

  @Option(help: "At most so many mutants, spread evenly.")
  var limit: Int?

  @Option(help: "A name that is defined for `#if` in that build, as `DEBUG` is. May be repeated.")
  var define: [String] = []

  func validate() throws {
    guard every > 0 else { throw ValidationError("--every must be at least 1, got \(every).") }
    guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be at least 1.") }
  }

  var packageFolder: URL { URL(fileURLWithPath: package).standardizedFileURL }

  var scratchFolder: URL {
    scratch.map { URL(fileURLWithPath: $0) } ?? packageFolder.appendingPathComponent(".build-mutation")
  }

  var results: URL { scratchFolder.appendingPathComponent("results.jsonl") }

  var explanationsFile: URL {
    explained.map { URL(fileURLWithPath: $0) }
      ?? packageFolder.appendingPathComponent("Tools/explained-mutants.json")
  }

  func explanations() throws -> Explanations { try Explanations(explanationsFile) }

  func workspace(environment: [String: String] = [:]) -> Workspace {
    Workspace(package: packageFolder, copy: scratchFolder.appendingPathComponent("package"), environment: environment)
  }

  /// The chosen files with all of their mutants.
  func completeFiles() throws -> [MutatedFile] {
    var files: [MutatedFile] = []
    var next = 0
    for path in try workspace().sources().sorted() where isChosen(path) {
      let source = try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
      let file = MutatedFile(path: path, source: source, firstID: next, flags: Set(define))
      // A comparison may have a mutant whose number is the next one.
      next = (file.mutants.last?.id ?? next) + 2
      files.append(file)
    }
    return files
  }

  /// The chosen mutants in their files.
  func files() throws -> [MutatedFile] { try chosen(of: completeFiles()) }

  func chosen(of files: [MutatedFile]) throws -> [MutatedFile] {
    let changed = try since.map { try ChangedLines(in: packageFolder, since: $0) }
    var mutants = files.flatMap(\.mutants).filter { mutant in
      (kind.isEmpty || kind.contains(mutant.kind)) && (changed?.contains(mutant.lines, of: mutant.file) ?? true)
    }
    mutants = mutants.enumerated().filter { $0.offset % every == 0 }.map(\.element)
    if let limit, mutants.count > limit {
      mutants = (0..<limit).map { mutants[$0 * mutants.count / limit] }
    }
    let chosen = Dictionary(grouping: mutants, by: \.file)
    return files.compactMap { file in chosen[file.path].map(file.keeping) }
  }

  private func isChosen(_ path: String) -> Bool {
    paths.isEmpty || paths.contains { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : "\($0)/") }
  }

  /// The last result of each mutant of the files.
  func knownResults(of files: [MutatedFile]) throws -> [Result] {
    let keys = Set(files.flatMap(\.mutants).map(\.key))
    var known: [String: Result] = [:]
    for result in try Result.read(results) where keys.contains(result.mutant.key) { known[result.mutant.key] = result }
    return known.values.sorted { ($0.mutant.file, $0.mutant.id) < ($1.mutant.file, $1.mutant.id) }
  }

  /// The survivors that nothing explains.
  func unexplained(of files: [MutatedFile]) throws -> [Result] {
    let explanations = try explanations()
    return try knownResults(of: files).filter {
      [.survived, .unreached].contains($0.outcome) && !explanations.explain($0.mutant)
    }
  }
}

extension Mutant.Kind: ExpressibleByArgument {}
