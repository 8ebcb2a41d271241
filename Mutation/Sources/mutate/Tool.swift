import Foundation
import Mutants

/// The commands.
struct Tool {
  static let usage = """
    mutate list [PATH ...]              prints the mutants of the source files
    mutate run [PATH ...] [options]     builds them and runs the tests with each; fails if one survives unexplained
    mutate survivors [PATH ...]         prints those of the last run that are not explained
    mutate record [PATH ...]            notes what the last run found out about the files
    mutate table                        prints what the record says of each folder, as a table

    PATH is a source file or a folder of the package; all sources by default.

      --package FOLDER     the package; the current folder by default
      --scratch FOLDER     where the copy is built; .build-mutation in the package by default
      --results FILE       where results are added; results.jsonl in the scratch folder by default
      --record FILE        what is known of each file; Mutation/record.json by default
      --explained FILE     why mutants survive; Mutation/explained.json by default
      --changed            only files whose code is not what the record knows
      --in PATHS           only mutants of these of the files that are built, separated by commas
      --kinds LIST         only mutants of these kinds, separated by commas
      --every N            only every Nth mutant
      --limit N            at most N mutants, spread evenly
      --jobs N             runs N at once; 2 by default
      --patience SECONDS   stops after so many seconds of tests that pass; all tests by default
      --define NAMES       names that are defined for #if in that build, separated by commas; DEBUG is
      --set NAME=VALUE     a variable with which the copy is built and tested
      --survivors-of FILE  only the mutants that survived, or were not reached, according to these results
      --hung               the mutants that made the tests hang are run again
      --again              forgets the results of the last run
    """

  private let command: String
  private var paths: [String] = []
  private var options: [String: String] = [:]
  private var variables: [String: String] = [:]

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    guard let command = rest.popFirst(), ["list", "run", "survivors", "record", "table"].contains(command) else {
      throw Failure(Self.usage)
    }
    self.command = command
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        paths.append(argument)
        continue
      }
      if ["--again", "--changed", "--hung"].contains(argument) {
        options[argument] = ""
        continue
      }
      guard Self.usage.contains("  \(argument) "), let value = rest.popFirst() else {
        throw Failure("There is no option \(argument), or it has no value.\n\(Self.usage)")
      }
      if argument == "--set" {
        let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
        variables[parts[0]] = parts.count > 1 ? parts[1] : ""
      } else {
        options[argument] = value
      }
    }
  }

  func run() throws {
    switch command {
    case "list": for mutant in try files().flatMap(\.mutants) { say("\(mutant.kind.rawValue): \(Self.line(mutant))") }
    case "survivors": for result in try unexplained(of: files()) { say(Self.line(result)) }
    case "record": try record()
    case "table": try printTable()
    default: try hunt()
    }
  }

  private var package: URL { URL(fileURLWithPath: options["--package"] ?? ".").standardizedFileURL }
  private var scratch: URL {
    options["--scratch"].map { URL(fileURLWithPath: $0) } ?? package.appendingPathComponent(".build-mutation")
  }
  private var results: URL {
    options["--results"].map { URL(fileURLWithPath: $0) } ?? scratch.appendingPathComponent("results.jsonl")
  }
  private var workspace: Workspace {
    Workspace(package: package, copy: scratch.appendingPathComponent("package"), environment: variables)
  }

  private var recordFile: URL {
    options["--record"].map { URL(fileURLWithPath: $0) } ?? package.appendingPathComponent("Mutation/record.json")
  }
  private var explanations: Explanations {
    get throws {
      try Explanations(
        options["--explained"].map { URL(fileURLWithPath: $0) }
          ?? package.appendingPathComponent("Mutation/explained.json"))
    }
  }

  /// The chosen files with their mutants.
  private func files() throws -> [MutatedFile] {
    let record = options["--changed"] == nil ? nil : try Record(recordFile)
    let flags = Set(options["--define"]?.split(separator: ",").map(String.init) ?? [])
    var files: [MutatedFile] = []
    var next = 0
    for path in try workspace.sources().sorted() where isChosen(path) {
      let source = try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
      let file = MutatedFile(path: path, source: source, firstID: next, flags: flags)
      if let known = record?.files[path], known.fingerprint == file.fingerprint { continue }
      // A comparison may have a mutant whose number is the next one.
      next = (file.mutants.last?.id ?? next) + 2
      files.append(file)
    }
    return files.filter { !$0.mutants.isEmpty }
  }

  private func isChosen(_ path: String) -> Bool {
    paths.isEmpty || paths.contains { path == $0 || path.hasPrefix($0.hasSuffix("/") ? $0 : "\($0)/") }
  }

  private func chosen(of mutants: [Mutant], hung: Set<String>) throws -> [Mutant] {
    var result = mutants
    if let kinds = options["--kinds"]?.split(separator: ",").map(String.init) {
      result = result.filter { kinds.contains($0.kind.rawValue) }
    }
    if let paths = options["--in"]?.split(separator: ",").map(String.init) {
      result = result.filter { mutant in paths.contains { mutant.file.hasPrefix($0) } }
    }
    if let file = options["--survivors-of"] {
      let left = Set(
        try Result.read(URL(fileURLWithPath: file)).filter { [.survived, .unreached].contains($0.outcome) }.map(
          \.mutant.key))
      result = result.filter { left.contains($0.key) }
    }
    if options["--hung"] != nil { result = result.filter { hung.contains($0.key) } }
    if let step = options["--every"].flatMap({ Int($0) }) {
      result = result.enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }
    if let limit = options["--limit"].flatMap({ Int($0) }), result.count > limit {
      result = (0..<limit).map { result[$0 * result.count / limit] }
    }
    return result
  }

  private func hunt() throws {
    let jobs = options["--jobs"].flatMap { Int($0) } ?? 2
    let patience = options["--patience"].flatMap { Double($0) } ?? .infinity
    try FileManager.default.createDirectory(at: workspace.copy, withIntermediateDirectories: true)
    if options["--again"] != nil { try? FileManager.default.removeItem(at: results) }
    let files = try files()
    guard !files.isEmpty else { return say("No file has changed, or none has mutants.") }
    say("\(files.flatMap(\.mutants).count) mutants in \(files.count) files; building")
    let start = Date()
    let compiled = try workspace.build(files, report: say)
    // A file of which no mutant compiles counts too, or it would be built again and again.
    let counts = Dictionary(grouping: compiled, by: \.file).mapValues(\.count)
    let ofEach = Dictionary(uniqueKeysWithValues: files.map { ($0.path, counts[$0.path] ?? 0) })
    try JSONEncoder().encode(ofEach).write(to: compiledFile)
    say("\(compiled.count) mutants compile; \(Int(-start.timeIntervalSinceNow)) s")

    let program = try workspace.testProgram()
    let count = (compiled.last?.id ?? 0) + 2
    let reach = try Reach.of(program, mutants: count, jobs: jobs, scratch: scratch)
    let total = Int(reach.seconds.reduce(0, +))
    say("\(reach.suites.count) suites, \(total) s of tests; after \(Int(-start.timeIntervalSinceNow)) s")
    for suite in reach.failing { say("warning: \(suite) fails without a mutant, and is left out") }

    let hung = try hung(of: files)
    let known = Set(try Result.read(results).map(\.mutant.key)).subtracting(hung)
    let mutants = try chosen(of: compiled, hung: hung).filter { !known.contains($0.key) }
    let file = try ResultFile(results)
    let hunt = Hunt(program, reach, patience: patience)
    let progress = Progress(of: mutants.count)
    inParallel(jobs, mutants.count) { index in
      let result = hunt.result(of: mutants[index])
      file.add(result)
      progress.note(result)
    }
    summarize(try current(of: files))
    for key in try explanations.outdated(in: files) { say("warning: an explanation is of no mutant: \(key)") }
    let left = try unexplained(of: files)
    for result in left { say(Self.line(result)) }
    if !left.isEmpty { throw Failure("\(left.count) mutants survive, and nothing explains why.") }
  }

  private func record() throws {
    var record = try Record(recordFile)
    let compiled = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: compiledFile))
    // Of the others, the last run has found out nothing.
    let files = try files().filter { compiled[$0.path] != nil }
    record.note(try current(of: files), of: files, compiled: compiled)
    try record.write(to: recordFile)
  }

  private func printTable() throws {
    say("| code | mutants | run | found | survived | not reached |")
    say("| --- | ---: | ---: | ---: | ---: | ---: |")
    let folders = Dictionary(grouping: try Record(recordFile).files) {
      $0.key.split(separator: "/").dropLast().prefix(4).joined(separator: "/")
    }
    for (folder, files) in folders.sorted(by: { $0.key < $1.key }) {
      func sum(_ count: (Record.File) -> Int) -> Int { files.map { count($0.value) }.reduce(0, +) }
      let counts = [sum(\.mutants), sum(\.run), sum(\.found), sum(\.survived), sum(\.unreached)].map(String.init)
      say("| `\(folder)` | \(counts.joined(separator: " | ")) |")
    }
  }

  /// The numbers of mutants of each file that compile.
  private var compiledFile: URL { scratch.appendingPathComponent("compiled.json") }

  /// The keys of the mutants that are run again because they made the tests hang.
  private func hung(of files: [MutatedFile]) throws -> Set<String> {
    if options["--hung"] == nil { return [] }
    return Set(try current(of: files).filter { $0.outcome == .hung }.map(\.mutant.key))
  }

  /// The last result of each mutant that the files still have.
  private func current(of files: [MutatedFile]) throws -> [Result] {
    let keys = Set(files.flatMap(\.mutants).map(\.key))
    var results: [String: Result] = [:]
    for result in try Result.read(self.results) where keys.contains(result.mutant.key) {
      results[result.mutant.key] = result
    }
    return results.values.sorted { ($0.mutant.file, $0.mutant.id) < ($1.mutant.file, $1.mutant.id) }
  }

  private func unexplained(of files: [MutatedFile]) throws -> [Result] {
    let explanations = try explanations
    return try current(of: files).filter {
      [.survived, .unreached].contains($0.outcome) && !explanations.explain($0.mutant)
    }
  }

  private func summarize(_ results: [Result]) {
    var rows: [String: [Result.Outcome: Int]] = [:]
    for result in results {
      let folder = result.mutant.file.split(separator: "/").prefix(3).joined(separator: "/")
      rows[folder, default: [:]][result.outcome, default: 0] += 1
    }
    for (folder, counts) in rows.sorted(by: { $0.key < $1.key }) {
      say("\(folder): \(Result.text(counts))")
    }
  }

  private static func line(_ result: Result) -> String {
    "\(result.outcome.rawValue) (\(result.suites) suites) \(line(result.mutant))"
  }

  private static func line(_ mutant: Mutant) -> String {
    "\(mutant.file):\(mutant.lines.lowerBound) in \(mutant.place): \(mutant.original) -> \(mutant.replacement)"
  }
}

/// Prints from time to time how far a run is.
private final class Progress: @unchecked Sendable {
  // Protected by `lock`.
  private var counts: [Result.Outcome: Int] = [:]
  private var done = 0
  private let total: Int
  private let start = Date()
  private let lock = NSLock()

  init(of total: Int) { self.total = total }

  func note(_ result: Result) {
    lock.withLock {
      counts[result.outcome, default: 0] += 1
      done += 1
      guard done % 50 == 0 || done == total else { return }
      say("\(done) of \(total) after \(Int(-start.timeIntervalSinceNow)) s: \(Result.text(counts))")
    }
  }
}
