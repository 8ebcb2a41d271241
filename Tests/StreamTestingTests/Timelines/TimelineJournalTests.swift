import Dispatch
import Foundation
import StreamSchedulers
import SuiteSupport
import Testing

@testable import StreamTesting

// `@testable`: the journal of a check, in a folder of the test's own.

@Suite(.exits) struct TimelineJournalTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("timeline-journal-tests-\(UUID().uuidString)")

  /// Makes a check in a process of its own, which ends in each run with three letters, unless that is mended.
  private func check(isMended: Bool) async {
    await #expect(processExitsWith: .failure) { [path = folder.path as String, isMended = isMended as Bool] in
      setenv("STREAMS_TIMELINES", path, 1)
      let (failure, issues) = IssueReporter.withCapture {
        checkTimelines(of: .letters, .numbers(0...9)) { _, letters, _ in
          let values = letters.events.filter { if case .next = $0.event { true } else { false } }
          if values.count >= 3, !isMended { _exit(9) }
        }
      }
      let text = issues.map(\.message).joined(separator: "\n") + (failure == nil ? "passed" : "")
      try text.write(toFile: path + "/result", atomically: true, encoding: .utf8)
      _exit(8)
    }
  }

  private var result: String? { try? String(contentsOf: folder.appendingPathComponent("result"), encoding: .utf8) }

  private var journals: [URL] {
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json" }
  }

  @Test func `a run in which the process ends is made smaller by the next ones, and reported`() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    var processes = 0
    repeat {
      await check(isMended: false)
      processes += 1
    } while result == nil && processes < 30
    let first = try #require(result)
    #expect(processes > 2)
    #expect(first.contains("letters  (aaa)\nnumbers  -"))
    #expect(first.contains("The process ended \(processes - 1) times in this run"))

    // The next process makes the run again, and ends; the one after it reports that.
    try FileManager.default.removeItem(at: folder.appendingPathComponent("result"))
    await check(isMended: false)
    #expect(result == nil)
    await check(isMended: false)
    #expect(result?.contains("The process ended \(processes) times in this run") == true)

    // The code is mended while the run is the reported one.
    await check(isMended: true)
    #expect(result == "passed")
    #expect(journals.isEmpty)
  }

  @Test(.exits, arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a check that is interrupted again and again does not fail`(signal: Int32) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for interruption in 0..<10 {
      await #expect(processExitsWith: .signal(signal)) { [path = folder.path as String, signal = signal as Int32] in
        setenv("STREAMS_TIMELINES", path, 1)
        let (_, issues) = IssueReporter.withCapture {
          checkTimelines(of: .letters) { _, _ in kill(getpid(), signal) }
        }
        if !issues.isEmpty { _exit(7) }
      }
      #expect(journals.isEmpty, "after \(interruption + 1) interruptions")
    }
  }

  @Test func `a file that no check has written for a day is removed, unless it is no journal`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let entry = try JSONEncoder().encode(TimelineJournal.Entry(phase: .searching, run: run))
    func write(_ name: String, _ data: Data, age: TimeInterval) throws {
      let file = folder.appendingPathComponent(name)
      try data.write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }
    try write("Module-File.swift-1.json", entry, age: 90_000)
    try write("Module-File.swift-3.json", entry, age: 80_000)
    try write("mine.json", Data("{}".utf8), age: 90_000)
    let journal = try #require(TimelineJournal(place(line: 4), folder: folder))
    #expect(
      Set(journals.map(\.lastPathComponent))
        == ["Module-File.swift-3.json", "Module-File.swift-4.json", "mine.json"])
    withExtendedLifetime(journal) {}
  }

  private func place(line: UInt) -> CodeLocation {
    CodeLocation(fileID: "Module/File.swift", filePath: "/File.swift", line: line, column: 1)
  }

  private let run = DrawnRun(
    timelines: [DrawnTimeline(events: [.init(time: 5, choice: 1)], end: .init(time: 9, choice: 0))],
    order: "shuffled-3",
    isReversed: true)

  @Test func `a journal keeps the last run, and where it was`() throws {
    let journal = try #require(TimelineJournal(place(line: 1), folder: folder))
    #expect(journal.left == nil)
    journal.note(number: 17)
    journal.note(DrawnRun(timelines: Array(repeating: run.timelines[0], count: 50)), .searching)
    journal.note(run, .searching)
    let left = try JSONDecoder().decode(TimelineJournal.Entry.self, from: Data(contentsOf: journals[0]))
    #expect(left == TimelineJournal.Entry(phase: .searching, run: run, number: 17))
    journal.remove()
    #expect(journals.isEmpty)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `two checks at one place at the same time do not share a journal`() throws {
    let journal = try #require(TimelineJournal(place(line: 2), folder: folder))
    #expect(TimelineJournal(place(line: 2), folder: folder) == nil)
    #expect(TimelineJournal(place(line: 2), folder: folder) == nil)
    withExtendedLifetime(journal) {}
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `two processes do not share a journal`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = try #require(TimelineJournal(place(line: 5), folder: folder))
    journal.note(run, .searching)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      let place = CodeLocation(fileID: "Module/File.swift", filePath: "/File.swift", line: 5, column: 1)
      _exit(TimelineJournal(place, folder: URL(fileURLWithPath: path)) == nil ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    withExtendedLifetime(journal) {}
  }

  @Test func `a journal is free again when its check has ended`() throws {
    do { _ = try #require(TimelineJournal(place(line: 3), folder: folder)) }
    #expect(TimelineJournal(place(line: 3), folder: folder) != nil)
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: ["", "{}", #"{"version":1,"phase":"other","run":{"timelines":[],"isReversed":false}}"#])
  func `a file that is no journal is ignored`(content: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(content.utf8).write(to: folder.appendingPathComponent("Module-File.swift-4.json"))
    let journal = try #require(TimelineJournal(place(line: 4), folder: folder))
    #expect(journal.left == nil)
  }
}
