import Dispatch
import Foundation
import StreamFoundation
import StreamTesting
import Testing

/// What a user has typed, recorded in the app and replayed in a test.
@Suite(.ownThread)
struct RecordedSearchTests {
  private let recording = RecordingFile()

  /// Types a recording into the view model, in virtual time, and returns what happens, with the times.
  private func replay() throws -> [String] {
    let scheduler = DispatchQueue.test
    var lines: [String] = []
    func note(_ text: String) { lines.append("\(scheduler.elapsed.magnitude) \(text)") }
    let client = SearchClient { query in
      Just([query.uppercased()])
        .delay(for: .milliseconds(600), scheduler: scheduler)
        .handleEvents(
          receiveSubscription: { _ in note("search \(query)") }, receiveCancel: { note("drop \(query)") }
        )
        .eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
    let answers = model.$results.dropFirst().sink { note("answer \($0.joined())") }
    let typing = try scheduler.hot(replaying: recording.url, of: String.self).sink { text in
      note("typed \(text)")
      model.query = text
    }
    scheduler.run()
    answers.cancel()
    typing.cancel()
    return lines
  }

  private func expectThousandEqualReplays(_ expected: [String]) throws {
    for _ in 0..<1_000 {
      let lines = try replay()
      guard lines == expected else {
        #expect(lines == expected)
        return
      }
    }
  }

  @Test func `typing that was recorded from the view model has the same outcome in each of 1,000 replays`() throws {
    let scheduler = DispatchQueue.test
    let model = SearchViewModel(
      client: SearchClient { _ in Empty().eraseToAnyPublisher() }, scheduler: scheduler.eraseToAnyScheduler())
    let typed = scheduler.record(model.$query.dropFirst().recordTimeline(to: recording.url, using: scheduler))
    for (milliseconds, text) in [(0, "s"), (120, "st"), (700, "str"), (1_800, "stru"), (1_900, "str"), (2_500, "")] {
      scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(milliseconds))) { model.query = text }
    }
    scheduler.run()
    typed.cancel()

    let lines = try replay()
    #expect(
      lines == [
        "0 typed s", "120000000 typed st", "420000000 search st", "700000000 typed str", "1000000000 drop st",
        "1000000000 search str", "1600000000 answer STR", "1800000000 typed stru", "1900000000 typed str",
        "2500000000 typed ", "2800000000 answer ",
      ])
    try expectThousandEqualReplays(lines)
  }

  @Test(.enabled(if: RecordedSearchTests.program != nil))
  func `what a user types into the example has the same outcome in each of 1,000 replays`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("search-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    let keyboard = Pipe()
    process.executableURL = Self.program
    process.arguments = ["--live", "--record", recording.url.path]
    process.currentDirectoryURL = folder
    process.standardInput = keyboard
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try keyboard.fileHandleForWriting.write(contentsOf: Data("str\nstri\nein Büro\n".utf8))
    try keyboard.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)

    #expect(try recording.allLines[0].contains(#""title":"typed queries""#))
    let events = try DispatchQueue.test.cold(replaying: recording.url, of: String.self).events
    #expect(events.map(\.event) == [.next("str"), .next("stri"), .next("ein Büro"), .completion(.finished)])
    let lines = try replay()
    #expect(lines.last?.hasSuffix("answer EIN BÜRO") == true)
    try expectThousandEqualReplays(lines)
  }

  /// The example, which is built beside the tests.
  private static let program: URL? = {
    let program = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("IncrementalSearch")
    return program.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }
  }()
}
