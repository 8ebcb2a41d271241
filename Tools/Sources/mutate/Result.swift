import Foundation
import Mutants

/// What became of a mutant.
struct Result: Codable, Sendable {
  enum Outcome: String, Codable, Sendable, CaseIterable {
    /// A test failed, or the process stopped.
    case found
    /// The tests did not end.
    case hung
    /// All tests that run its code passed.
    case survived
    /// No test runs its code.
    case unreached
  }

  let mutant: Mutant
  let outcome: Outcome
  /// The test that failed first, or how the process ended.
  var finder: String?
  /// The number of suites that run the code of the mutant.
  var suites = 0

  /// The result as a line of a list.
  var line: String { "\(outcome.rawValue) (\(suites) suites) \(mutant.line)" }

  /// Returns numbers of outcomes as a text.
  static func text(_ counts: [Outcome: Int]) -> String {
    counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
      .joined(separator: ", ")
  }

  static func read(_ file: URL) throws -> [Result] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    // The last line may have been cut off.
    return data.split(separator: 10).compactMap { try? JSONDecoder().decode(Result.self, from: $0) }
  }
}

/// A file to which each result is added as it is known, so that a run that was stopped can be continued.
final class ResultFile: @unchecked Sendable {
  // Protected by `lock`.
  private let handle: FileHandle
  private let lock = NSLock()

  init(_ url: URL) throws {
    if !FileManager.default.fileExists(atPath: url.path) {
      _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    }
    handle = try FileHandle(forWritingTo: url)
    try handle.seekToEnd()
  }

  func add(_ result: Result) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(result) else { return }
    lock.withLock { try? handle.write(contentsOf: data + [10]) }
  }
}

extension Mutant {
  /// The mutant as a line of a list.
  var line: String { "\(file):\(lines.lowerBound) in \(place): \(original) -> \(replacement)" }
}
