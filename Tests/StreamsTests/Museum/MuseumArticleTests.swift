import Foundation
import Testing

/// The article about the bugs of other libraries, compared with the tests.
///
/// With `STREAMS_WRITE_MUSEUM=1` in the environment, its table is written.
struct MuseumArticleTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardized
  private static let article = package.appending(path: "Sources/Streams/Streams.docc/BugsOfOtherLibraries.md")

  /// A test, with the reports that its comment names.
  private struct Entry {
    let name: String
    let reports: String

    /// The reports as links to the trackers.
    var links: String {
      var links: [String] = []
      var repository = ""
      for match in reports.matches(
        of:
          #/(?<repository>[\w.-]+/[\w.-]+)|#(?<issue>\d+)|\b(?<commit>[0-9a-f]{7})\b|Stack Overflow (?<question>\d+)|release (?<release>[\d.]+)/#
      ) {
        let output = match.output
        if let name = output.repository {
          repository = String(name)
          continue
        }
        let name = repository.split(separator: "/").last ?? ""
        if let issue = output.issue {
          links.append("[\(name) \(issue)](https://github.com/\(repository)/issues/\(issue))")
        } else if let commit = output.commit {
          links.append("[\(name) \(commit)](https://github.com/\(repository)/commit/\(commit))")
        } else if let question = output.question {
          links.append("[Stack Overflow](https://stackoverflow.com/q/\(question))")
        } else if let release = output.release {
          links.append("[\(name) \(release)](https://github.com/\(repository)/releases/tag/\(release))")
        }
      }
      return links.joined(separator: ", ")
    }
  }

  /// The tests by their subjects.
  private static func entries() throws -> [(subject: String, entries: [Entry])] {
    let tests = package.appending(path: "Tests")
    var subjects: [String: [Entry]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    where path.hasSuffix("MuseumTests.swift") {
      let lines = try String(contentsOf: tests.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
      let heading = "/// Bugs of other reactive libraries: "
      let subject = try #require(lines.first { $0.hasPrefix(heading) }, "\(path)").dropFirst(heading.count).dropLast()
      var comment: [String] = []
      for line in lines {
        let line = line.trimmingCharacters(in: .whitespaces)
        if line.hasPrefix("///") {
          comment.append(String(line.dropFirst(3)))
        } else if let match = line.firstMatch(of: #/func `([^`]+)`/#), let reports = comment.first {
          subjects[String(subject), default: []].append(Entry(name: String(match.1), reports: reports))
        }
        if !line.hasPrefix("///"), !line.hasPrefix("@Test") { comment = [] }
      }
    }
    return subjects.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted { $0.name < $1.name }) }
  }

  private static func table() throws -> String {
    try entries().map { subject, entries in
      let rows = entries.map { "| \($0.name) | \($0.links) |" }
      return "### \(subject.prefix(1).uppercased())\(subject.dropFirst())\n\n| what happened | where |\n| --- | --- |\n"
        + rows.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  @Test func `each test of the museum has a report, and the article has each of them`() throws {
    let entries = try Self.entries().flatMap(\.entries)
    for entry in entries { #expect(!entry.links.isEmpty, "\(entry.name)") }

    let text = try String(contentsOf: Self.article, encoding: .utf8)
    let start = try #require(text.range(of: "\n### ")).lowerBound
    let table = try "\n" + Self.table()
    if ProcessInfo.processInfo.environment["STREAMS_WRITE_MUSEUM"] != nil {
      try (text[..<start] + table).write(to: Self.article, atomically: true, encoding: .utf8)
    } else {
      #expect(text[start...] == table, "Run this test with STREAMS_WRITE_MUSEUM=1 to write the table.")
    }
    #expect(text.contains("\(entries.count) tests"))
  }
}
