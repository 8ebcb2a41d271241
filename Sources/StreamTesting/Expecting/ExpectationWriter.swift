internal import Foundation
internal import StreamSchedulers
internal import Streams

/// A writer that adds recorded diagrams to the source files of tests.
///
/// It keeps each file's source as it was compiled, so each call is found even after earlier diagrams have moved the lines.
final class ExpectationWriter: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the files.

  /// The process's writer. This package's own tests use other writers.
  @TaskLocal static var current = ExpectationWriter(
    environment: ProcessInfo.processInfo.environment, builtAt: dateOfExecutable)

  let isWriting: Bool

  /// The time at which the test was built. In a file that was changed later, calls may have moved.
  private let builtAt: Date?

  /// A closure that returns the path at which to find a source file.
  private let locate: @Sendable (String) -> String
  private let files = Locked<[String: File]>([:])

  /// - Parameters:
  ///   - environment: The environment variables, of which only `STREAMS_WRITE` is used.
  ///   - builtAt: The time at which the test was built, if it's known.
  ///   - locate: A closure that returns the path at which to find a source file.
  init(
    environment: [String: String], builtAt: Date? = nil, locate: @escaping @Sendable (String) -> String = { $0 }
  ) {
    isWriting = environment["STREAMS_WRITE"] == "1"
    self.builtAt = builtAt
    self.locate = locate
  }

  /// The result of writing a diagram.
  enum Outcome: Equatable {
    case written
    /// The same call has been reached before, with the same diagram.
    case alreadyWritten
    /// The same call has been reached before, with this other diagram, which was removed again.
    case differs(from: String)
    /// Nothing was written. The reason is a sentence without the period.
    case refused(String)
  }

  fileprivate struct File {
    var original: SourceTokens

    /// The content as it was last written.
    var content: [UInt8]

    /// The calls, keyed by the offset at which their argument list begins.
    var calls: [Int: Call] = [:]
  }

  fileprivate struct Call {
    /// The diagram that was recorded first, and the first one that differs from it.
    var diagram: RecordedDiagram
    var other: RecordedDiagram?
    var edits: [DiagramInsertion.Edit]
  }

  /// Writes a diagram into the call at a location.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the file.
  func write(_ diagram: RecordedDiagram, at location: CodeLocation, takesPublisher: Bool) -> Outcome {
    // Reading and writing a file doesn't call the user's code, so it's done under the lock, which keeps two tests from
    // writing at the same time.
    files.withLock { files -> Outcome in
      let path = locate("\(location.filePath)")
      do {
        var file: File
        if let known = files[path] {
          guard [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == known.content else {
            return .refused("the file has been changed since a diagram was written into it; \(Self.remedy)")
          }
          file = known
        } else {
          let source = try source(at: path)
          file = File(original: source, content: source.bytes)
        }
        let outcome = try file.add(diagram, at: location, takesPublisher: takesPublisher)
        switch outcome {
        case .written, .differs: try file.save(to: path)
        case .alreadyWritten, .refused: break
        }
        files[path] = file
        return outcome
      } catch let missing as CallSite.Missing {
        return .refused(missing.reason)
      } catch {
        return .refused("the file cannot be read or written: \(error)")
      }
    }
  }

  /// Returns whether the expectation at a location has a recorded diagram that hasn't been confirmed.
  func isRecorded(at location: CodeLocation) -> Bool {
    let path = locate("\(location.filePath)")
    let known = files.withLock { $0[path]?.original }
    guard let source = try? known ?? source(at: path, containing: "recorded"),
      let call = try? CallSite(in: source, line: Int(location.line), column: Int(location.column), of: "expect")
    else { return false }
    return DiagramInsertion.isMarked(call)
  }

  private func source(at path: String, containing word: String? = nil) throws -> SourceTokens {
    let url = URL(fileURLWithPath: path)
    let data = try Data(contentsOf: url)
    if let word, data.range(of: Data(word.utf8)) == nil { throw CallSite.Missing(reason: "it contains no \(word)") }
    // The date is read after the content, so a change in between is noticed.
    if let builtAt, let changed = Self.modificationDate(of: url), changed > builtAt {
      throw CallSite.Missing(reason: "the file has been changed since the test was built; \(Self.remedy)")
    }
    guard let source = SourceTokens([UInt8](data)) else {
      throw CallSite.Missing(reason: "the file cannot be read as Swift source")
    }
    return source
  }

  /// The time at which the program that contains this module was built.
  private static var dateOfExecutable: Date? {
    Bundle(for: ExpectationWriter.self).executableURL.flatMap(modificationDate)
  }

  private static func modificationDate(of url: URL) -> Date? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    return attributes?[.modificationDate] as? Date
  }

  private static let remedy = "build the test and run it again"
}

extension ExpectationWriter.File {
  fileprivate mutating func add(
    _ diagram: RecordedDiagram, at location: CodeLocation, takesPublisher: Bool
  ) throws -> ExpectationWriter.Outcome {
    let call = try CallSite(in: original, line: Int(location.line), column: Int(location.column), of: "expect")
    let insertion = try DiagramInsertion(diagram, into: call, takesPublisher: takesPublisher)
    let key = call.argumentList?.lowerBound ?? 0
    if let earlier = calls[key] {
      // After a different diagram, one that equals the first is refused, too.
      let other = earlier.diagram == diagram ? earlier.other : earlier.diagram
      if let other {
        calls[key]?.edits = []
        calls[key]?.other = earlier.other ?? diagram
        return .differs(from: other.text)
      }
      return diagram.obstacle.map { .refused($0) } ?? .alreadyWritten
    }
    if let obstacle = diagram.obstacle {
      calls[key] = ExpectationWriter.Call(diagram: diagram, edits: [])
      return .refused(obstacle)
    }
    calls[key] = ExpectationWriter.Call(diagram: diagram, edits: insertion.edits)
    // A result that can't be read as Swift source must not be written.
    guard let result = SourceTokens(edited), result.tokens.count > original.tokens.count else {
      throw CallSite.Missing(reason: "the file would no longer be Swift source")
    }
    return .written
  }

  private var edited: [UInt8] { DiagramInsertion.applying(calls.values.flatMap(\.edits), to: original.bytes) }

  /// Replaces the file at a path atomically.
  fileprivate mutating func save(to path: String) throws {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard FileManager.default.isWritableFile(atPath: url.path) else {
      throw CallSite.Missing(reason: "the file is not writable")
    }
    let edited = edited
    if edited == content { return }
    let files = FileManager.default
    let permissions = try files.attributesOfItem(atPath: url.path)[.posixPermissions]
    // Writes a temporary file beside the original, and then renames it.
    try Data(edited).write(to: url, options: .atomic)
    if let permissions { try files.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path) }
    content = edited
  }
}
