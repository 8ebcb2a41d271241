import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct SearchViewModelTests {
  private let scheduler = DispatchQueue.test

  @Test func `a search starts after typing stops, and a newer one supersedes it`() {
    var log: [String] = []
    let client = SearchClient { [scheduler] query in
      Just([query.uppercased()])
        .delay(for: .milliseconds(500), scheduler: scheduler)
        .handleEvents(
          receiveSubscription: { _ in log.append("search \(query)") },
          receiveCancel: { log.append("drop \(query)") }
        )
        .eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())

    model.query = "a"
    scheduler.advance(by: .milliseconds(299))
    #expect(log == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(log == ["search a"])
    #expect(model.isLoading)

    model.query = "ab"
    scheduler.advance(by: .milliseconds(300))
    #expect(log == ["search a", "drop a", "search ab"])
    #expect(model.results == [])
    #expect(model.isLoading)

    scheduler.advance(by: .milliseconds(500))
    #expect(model.results == ["AB"])
    #expect(!model.isLoading)
    scheduler.assertIdle()
  }

  @Test func `a newer search supersedes an answer that waits for the scheduler`() {
    let answers = ["old": PassthroughSubject<[String], Never>(), "new": PassthroughSubject()]
    let client = SearchClient { answers[$0]!.eraseToAnyPublisher() }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
    model.query = "old"
    scheduler.advance(by: .milliseconds(300))
    // When the interval after typing ends, the old answer arrives first and is pending on the scheduler.
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(300))) { answers["old"]!.send(["OLD"]) }
    model.query = "new"
    scheduler.advance(by: .milliseconds(300))
    #expect(model.results == [])
    #expect(model.isLoading)
    answers["new"]!.send(["NEW"])
    scheduler.advance()
    #expect(model.results == ["NEW"])
    scheduler.assertIdle()
  }

  @Test func `the example and the tests have the same view model`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let package = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let ours = try markedLines(of: tests.appendingPathComponent("SearchViewModel.swift"))
    let example = try markedLines(of: package.appendingPathComponent("Snippets/IncrementalSearch.swift"))
    #expect(ours == example)
    #expect(ours.count > 20)
  }

  private func markedLines(of file: URL) throws -> [Substring] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "// snippet.SearchViewModel"))
    let end = try #require(lines[start...].firstIndex(of: "// snippet.end"))
    return Array(lines[start..<end])
  }
}

@Suite
struct LoginViewModelTests {
  @Test func `the form is valid while both fields are`() {
    let scheduler = DispatchQueue.test
    let start = scheduler.now
    let model = LoginViewModel()
    var changes: [String] = []
    let cancellable = model.$isValid.dropFirst().sink { isValid in
      changes.append("\(start.distance(to: scheduler.now).magnitude / 1_000_000) \(isValid)")
    }
    let events: [(Int, () -> Void)] = [
      (10, { model.name = "ada" }), (20, { model.password = "1234567" }), (30, { model.password = "12345678" }),
      (40, { model.password = "123456789" }), (50, { model.name = "" }), (60, { model.name = "grace" }),
    ]
    for (milliseconds, event) in events {
      scheduler.schedule(after: start.advanced(by: .milliseconds(milliseconds)), event)
    }
    scheduler.run()
    #expect(changes == ["30 true", "50 false", "60 true"])
    cancellable.cancel()
  }
}

@Suite
struct RaceTests {
  @Test func `the faster future wins`() {
    let scheduler = DispatchQueue.test
    let servers = [30, 20].map { latency in
      Server(
        answer: .success("\(latency)"), latency: .milliseconds(latency), scheduler: scheduler.eraseToAnyScheduler())
    }
    var log: [String] = []
    let cancellable = race(servers[0].ask(), servers[1].ask())
      .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append($0) })
    scheduler.advance(by: .milliseconds(19))
    #expect(log == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(log == ["20", "finished"])
    scheduler.run()
    #expect(log == ["20", "finished"])
    cancellable.cancel()
  }
}
