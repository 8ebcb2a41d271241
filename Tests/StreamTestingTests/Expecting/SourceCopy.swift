import Foundation
import StreamSchedulers
import Testing

@testable import StreamTesting

// `@testable`: what would be written into a file, without the file.

/// A source file in a temporary folder, in place of the one that the compiler has read.
final class SourceCopy {
  let url: URL
  let original: String
  let writer: ExpectationWriter

  /// Creates a copy of the file of the caller, whose calls are then at the places that the compiler gives.
  convenience init(of path: String = #filePath, environment: [String: String] = ["STREAMS_WRITE": "1"]) throws {
    try self.init(text: String(contentsOfFile: path, encoding: .utf8), environment: environment)
  }

  init(text: String, builtAt: Date? = nil, environment: [String: String] = ["STREAMS_WRITE": "1"]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SourceCopy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("Copied.swift")
    original = text
    try Data(text.utf8).write(to: url)
    let path = url.path
    writer = ExpectationWriter(environment: environment, builtAt: builtAt) { _ in path }
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  var text: String { (try? String(contentsOf: url, encoding: .utf8)) ?? "" }

  /// The lines that the original does not have, and that are there now.
  var changes: [String] {
    text.components(separatedBy: "\n").difference(from: original.components(separatedBy: "\n")).insertions.map {
      if case .insert(_, let line, _) = $0 { line } else { "" }
    }
  }

  /// Runs a closure whose expectations are written into the copy, and returns the messages of its issues.
  func writing(_ body: () throws -> Void) rethrows -> [String] {
    let (_, issues) = try IssueReporter.withCapture {
      try ExpectationWriter.$current.withValue(writer) { try body() }
    }
    return issues.map(\.message)
  }

  /// Writes a diagram into the call whose parenthesis follows a text, as if it had been compiled there.
  func write(
    _ diagram: RecordedDiagram, after prefix: String = "expect", takesPublisher: Bool = true
  ) -> ExpectationWriter.Outcome {
    guard let end = original.utf8.firstRange(of: "\(prefix)(".utf8)?.upperBound else { return .refused("no such call") }
    let before = original.utf8[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let place = CodeLocation(
      fileID: "Module/File.swift", filePath: "/File.swift", line: UInt(before.count),
      column: UInt(before.last?.count ?? 0))
    return writer.write(diagram, at: place, takesPublisher: takesPublisher)
  }

  /// The argument without a label that begins with a quotation mark, as the compiler reads it, in the only call of
  /// `expect` that has one.
  var writtenDiagram: String? {
    guard let tokens = SourceTokens(Array(text.utf8)) else { return nil }
    let calls = tokens.tokens.indices.compactMap { index -> CallSite? in
      let offset = tokens.tokens[index].range.lowerBound
      let line = tokens.line(of: offset)
      return try? CallSite(in: tokens, line: line + 1, column: offset - tokens.lineStarts[line] + 1, of: "expect")
    }
    let literals = calls.flatMap(\.arguments).filter { $0.label == nil && $0.text.hasPrefix("\"") }.map(\.text)
    return literals.count == 1 ? Self.content(ofLiteral: literals[0]) : nil
  }

  private static func content(ofLiteral literal: String) -> String {
    var body = Substring(literal)
    if literal.hasPrefix("\"\"\"") {
      var lines = literal.components(separatedBy: "\n").dropFirst()
      let indentation = (lines.popLast() ?? "").prefix { $0 == " " }
      body = lines.map { $0.dropFirst(indentation.count) }.joined(separator: "\n")[...]
    } else {
      body = body.dropFirst().dropLast()
    }
    var result = ""
    while let character = body.popFirst() {
      guard character == "\\", let escape = body.popFirst() else {
        result.append(character)
        continue
      }
      switch escape {
      case "n": result += "\n"
      case "t": result += "\t"
      case "u":
        let digits = body.dropFirst().prefix { $0 != "}" }
        body = body.dropFirst(digits.count + 2)
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) { result.unicodeScalars.append(scalar) }
      default: result.append(escape)
      }
    }
    return result
  }
}
