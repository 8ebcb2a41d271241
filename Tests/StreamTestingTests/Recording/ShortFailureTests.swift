import Dispatch
import Foundation
import StreamSchedulers
import Testing

@testable import StreamTesting

// `@testable`: what is attached to a failure.

/// Failures fit on a screen; the rest of them is attached.
@Suite struct ShortFailureTests {
  private let scheduler = DispatchQueue.test

  private struct Screen: Equatable, CustomStringConvertible {
    var lines: [String]
    var description: String { lines.joined(separator: "\n") }
  }

  @Test func `a failure with many events shows the surroundings of the first difference`() {
    let marbles = (0..<300).map { "\($0 % 10)-" }.joined()
    let recorder = scheduler.record(scheduler.hot(Marbles(marbles)))
    scheduler.run()
    let (_, issues) = IssueReporter.withCapture {
      recorder.expect(Marbles(String(marbles.prefix(400) + "x" + marbles.dropFirst(401))))
    }
    let lines = issues.first?.message.components(separatedBy: "\n") ?? []
    #expect(lines.count <= 28)
    #expect(lines.contains { $0.hasPrefix("  ≠  400 ms  x") })
    #expect(lines.contains("     … 198 equal events before"))
    #expect(lines.contains { $0.contains("more lines") })
    #expect(lines.contains { $0.contains("^") })
  }

  @Test func `a failure with values of many lines is shortened`() {
    let screen = Screen(lines: (0..<50).map { "line \($0)" })
    let (_, issues) = IssueReporter.withCapture {
      expect(Just(screen), "(a|)", values: ["a": Screen(lines: ["another"])])
    }
    #expect((issues.first?.message.components(separatedBy: "\n").count ?? 0) <= 28)
  }

  @Test func `without Swift Testing, the picture and the whole text are files that the message names`() throws {
    let place = CodeLocation(fileID: "Module/ShortFailure.swift", filePath: "/ShortFailure.swift", line: 7, column: 1)
    let attachments = FailureAttachments([("timelines.svg", "<svg/>"), ("timelines.txt", "a-b|")])
    let lines = attachments.write(for: place)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stream-failures/ShortFailure-swift-7")
    #expect(lines == ["", "As a picture and as text: \(folder.path)"])
    #expect(try String(contentsOf: folder.appendingPathComponent("timelines.svg"), encoding: .utf8) == "<svg/>")
    #expect(try String(contentsOf: folder.appendingPathComponent("timelines.txt"), encoding: .utf8) == "a-b|")
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `nothing is attached to a test for an issue that is captured`() {
    let place = CodeLocation(fileID: "Module/Captured.swift", filePath: "/Captured.swift", line: 7, column: 1)
    let (lines, _) = IssueReporter.withCapture { FailureAttachments([("a.txt", "a")]).attach(at: place) }
    #expect(lines.isEmpty)
  }

  @Test func `the picture has the expected and the actual events`() throws {
    let recorder = Just("a").record()
    let expectation = Expectation<String>(
      "(b|)", frame: 1_000_000, error: nil,
      CodeLocation(fileID: "Module/File.swift", filePath: "/File.swift", line: 7, column: 1))
    let mismatch = try #require(expectation.mismatch(with: recorder.history, from: 0, frame: 1_000_000))
    #expect(mismatch.picturedTimelines.text == "expected  (b|)\nactual    (a|)")
    #expect(mismatch.picturedTimelines.svg?.contains("Expected and actual events") == true)
  }
}
