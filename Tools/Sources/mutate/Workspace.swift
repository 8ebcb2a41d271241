import Foundation
import Mutants
import ToolsSupport

/// A copy of the package in which chosen files have all of their mutants.
struct Workspace {
  let package: URL
  let copy: URL

  /// Variables with which the copy is built and tested.
  let environment: [String: String]

  /// The source files of the package that contain code, relative to it. The code of tutorials isn't built.
  func sources() throws -> [String] {
    try files().filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") && !$0.contains(".docc/") }
  }

  private func files() throws -> [String] {
    let listing = try Command(
      program: "git", arguments: ["ls-files", "--cached", "--others", "--exclude-standard"], folder: package
    ).run()
    guard listing.ending.isSuccess else { throw Failure("\(package.path) is not a git repository: \(listing.output)") }
    return listing.output.split(separator: "\n").map(String.init).filter {
      FileManager.default.fileExists(atPath: package.appendingPathComponent($0).path)
    }
  }

  /// Builds the copy with the mutants of the files, and returns those that compile.
  ///
  /// A mutant on a line with an error is left out, and the copy is built again.
  func build(_ files: [MutatedFile], report: (String) -> Void) throws -> [Mutant] {
    // What did not compile the last time is not tried again, unless its file has changed.
    let known = Set(files.map { "\($0.path) \($0.fingerprint)" })
    var refused = (try? JSONDecoder().decode([String: Set<String>].self, from: Data(contentsOf: refusedFile))) ?? [:]
    refused = refused.filter { known.contains($0.key) }
    let refusedKeys = Set(refused.values.joined())
    var mutants = files.flatMap(\.mutants).filter { !refusedKeys.contains($0.key) }
    defer {
      for file in files {
        let left = Set(mutants.lazy.filter { $0.file == file.path }.map(\.id))
        refused["\(file.path) \(file.fingerprint)"] = Set(file.mutants.filter { !left.contains($0.id) }.map(\.key))
      }
      try? JSONEncoder().encode(refused).write(to: refusedFile)
    }
    var attempt = 0
    while true {
      attempt += 1
      try write(files, with: Set(mutants.map(\.id)))
      let result = try swift("build", "--build-tests")
      if result.ending.isSuccess { return mutants }
      let errors = Self.errors(in: result.output, below: copy)
      guard !errors.isEmpty, attempt < 20 else {
        throw Failure("The copy does not build:\n\(result.output.suffix(4_000))")
      }
      let before = mutants.count
      for (file, line) in errors { mutants = Self.leaveOut(file, line, of: mutants) }
      report("attempt \(attempt): \(errors.count) errors, \(before - mutants.count) of \(before) mutants left out")
      guard mutants.count < before else {
        throw Failure("An error is not in a mutant:\n\(result.output.suffix(4_000))")
      }
    }
  }

  private var refusedFile: URL { copy.deletingLastPathComponent().appendingPathComponent("refused.json") }

  /// Leaves out the mutants on a line or, if it has none, those of the nearest place before it that has some.
  private static func leaveOut(_ file: String, _ line: Int, of mutants: [Mutant]) -> [Mutant] {
    let there = mutants.filter { $0.file == file }
    var guilty = there.filter { $0.lines.contains(line) && $0.lines.count == 1 }
    if guilty.isEmpty { guilty = there.filter { $0.lines.contains(line) } }
    if guilty.isEmpty,
      let nearest = there.filter({ $0.lines.lowerBound <= line }).max(by: { $0.lines.lowerBound < $1.lines.lowerBound })
    {
      guilty = there.filter { $0.place == nearest.place && abs($0.lines.lowerBound - line) < 60 }
    }
    if guilty.isEmpty { guilty = there }
    let ids = Set(guilty.map(\.id))
    return mutants.filter { !ids.contains($0.id) }
  }

  private static func errors(in output: String, below folder: URL) -> [(file: String, line: Int)] {
    var seen: Set<String> = []
    return output.split(separator: "\n").compactMap { line in
      guard line.hasPrefix(folder.path), let range = line.range(of: ": error:") else { return nil }
      let parts = line[..<range.lowerBound].dropFirst(folder.path.count + 1).split(separator: ":")
      guard parts.count >= 2, let number = Int(parts[1]), seen.insert("\(parts[0]):\(number)").inserted else {
        return nil
      }
      return (String(parts[0]), number)
    }
  }

  private func swift(_ arguments: String...) throws -> (ending: Command.Ending, output: String) {
    try Command(program: "swift", arguments: arguments, environment: environment, folder: copy).run()
  }

  /// Writes every file that differs, so that the next build compiles no more than it has to.
  private func write(_ mutated: [MutatedFile], with ids: Set<Int>) throws {
    var contents: [String: Data] = [:]
    for path in try files() { contents[path] = try Data(contentsOf: package.appendingPathComponent(path)) }
    for path in contents.keys.filter({ $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }) {
      let module = path.split(separator: "/").prefix(2).joined(separator: "/")
      contents["\(module)/\(MutantSwitch.fileName)"] = Data(MutantSwitch.source.utf8)
    }
    for file in mutated { contents[file.path] = Data(file.source(with: ids).utf8) }
    let manager = FileManager.default
    for path in existing() where contents[path] == nil { try manager.removeItem(at: copy.appendingPathComponent(path)) }
    for (path, data) in contents {
      let url = copy.appendingPathComponent(path)
      if let old = try? Data(contentsOf: url), old == data { continue }
      try manager.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: url)
      let mode = try? manager.attributesOfItem(atPath: package.appendingPathComponent(path).path)[.posixPermissions]
      if let mode { try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path) }
    }
  }

  private func existing() -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: copy.path) else { return [] }
    var result: [String] = []
    while let path = walk.nextObject() as? String {
      if path.hasPrefix(".build") { walk.skipDescendants() } else if isFile(path) { result.append(path) }
    }
    return result
  }

  private func isFile(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: copy.appendingPathComponent(path).path, isDirectory: &isFolder)
      && !isFolder.boolValue
  }

  /// The program of the tests of the copy.
  func testProgram() throws -> TestProgram {
    let folder = copy.appendingPathComponent(".build/debug")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix("PackageTests.xctest")
    }
    guard let name = names.first else { throw Failure("\(folder.path) has no program of tests.") }
    return TestProgram(path: folder.appendingPathComponent(name).path, folder: copy, environment: environment)
  }
}
