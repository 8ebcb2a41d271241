import Foundation
import ToolsSupport

/// One of the things that an operator needs.
struct Artifact {
  enum State: Equatable {
    case missing
    /// The lines with places to fill in.
    case unfinished([Int])
    case finished
  }

  /// Where a text goes that is inserted into a file with other operators.
  enum Place {
    /// It is the file.
    case file
    case end
    /// Below the other lines of the section with that heading, before the next heading.
    case section(String)
    /// Before the last line that is this one.
    case beforeLast(String)
    /// Behind the first line that is this one.
    case behindFirst(String)
    /// Behind the last line that begins so.
    case behind(prefix: String)
    /// Where a function inserts it.
    case custom((String, String) throws -> String)
  }

  let purpose: String
  let file: String
  /// A text that the file has as soon as it has the artifact.
  let mark: String
  let text: String
  let place: Place

  /// Writes the skeleton if the file lacks it, and returns whether it did.
  func write() throws -> Bool {
    guard try state() == .missing else { return false }
    let url = URL(fileURLWithPath: file)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try inserted(into: contents ?? "").write(to: url, atomically: true, encoding: .utf8)
    return true
  }

  func state() throws -> State {
    guard let contents, contents.contains(mark) else { return .missing }
    let lines = contents.components(separatedBy: "\n")
    let unfinished = lines.indices.filter { lines[$0].contains("<#") }.map { $0 + 1 }
    return unfinished.isEmpty ? .finished : .unfinished(unfinished)
  }

  func description(of state: State) -> String {
    switch state {
    case .missing: "missing    \(file): \(purpose)"
    case .unfinished(let lines): "unfinished \(file):\(lines.map(String.init).joined(separator: ",")): \(purpose)"
    case .finished: "finished   \(file): \(purpose)"
    }
  }

  private var contents: String? { try? String(contentsOfFile: file, encoding: .utf8) }

  private func inserted(into old: String) throws -> String {
    var lines = old.components(separatedBy: "\n")
    let index: Int?
    switch place {
    case .file: return text
    case .end: return old + "\n" + text
    case .custom(let insert): return try insert(old, text)
    case .section(let heading):
      // Between its last line and the blank line below it.
      index = lines.firstIndex(of: heading).map { start in
        let level = heading.prefix { $0 == "#" }
        let next = lines[(start + 1)...].firstIndex { line in
          let other = line.prefix { $0 == "#" }
          return !other.isEmpty && other.count <= level.count
        }
        return lines[..<(next ?? lines.endIndex)].lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? start + 1
      }
    case .beforeLast(let line): index = lines.lastIndex(of: line)
    case .behindFirst(let line): index = lines.firstIndex(of: line).map { $0 + 1 }
    case .behind(let prefix): index = lines.lastIndex { $0.hasPrefix(prefix) }.map { $0 + 1 }
    }
    guard let index else { throw Failure("\(file) has no place for \(purpose). Has it been changed?") }
    lines.insert(contentsOf: text.components(separatedBy: "\n"), at: index)
    return lines.joined(separator: "\n")
  }
}
