import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing
import XCTest

/// The asynchronous variant of the search, tested in a virtual world without `await`.
@MainActor
@Suite
struct AsyncSearchTests {
  private let scheduler = DispatchQueue.test
  private let log = Log<String>()

  private func makeModel() -> AsyncSearchViewModel {
    AsyncSearchViewModel(clock: scheduler.clock) { [scheduler, log] query in
      log.append("search \(query)")
      do { try await scheduler.clock.sleep(for: .milliseconds(500)) } catch {
        log.append("drop \(query)")
        throw error
      }
      return [query.uppercased()]
    }
  }

  @Test func `a search starts 300 milliseconds after typing stops`() {
    scheduler.withVirtualWorld {
      let model = makeModel()
      model.query = "s"
      scheduler.advance(by: .milliseconds(200))
      model.query = "st"
      scheduler.advance(by: .milliseconds(299))
      #expect(log.all == [])
      #expect(!model.isLoading)

      scheduler.advance(by: .milliseconds(1))
      #expect(log.all == ["search st"])
      #expect(model.isLoading)

      scheduler.advance(by: .milliseconds(500))
      #expect(model.results == ["ST"])
      #expect(!model.isLoading)
      scheduler.assertIdle()
    }
  }

  @Test func `a newer query supersedes a running search`() {
    scheduler.withVirtualWorld {
      let model = makeModel()
      model.query = "s"
      scheduler.advance(by: .milliseconds(400))
      model.query = "st"
      scheduler.advance(by: .milliseconds(300))
      #expect(log.all == ["search s", "drop s", "search st"])

      scheduler.advance(by: .milliseconds(499))
      #expect(model.results == [])
      scheduler.advance(by: .milliseconds(1))
      #expect(model.results == ["ST"])
      scheduler.assertIdle()
    }
  }

  @Test func `a query restored within the interval is not searched again`() {
    scheduler.withVirtualWorld {
      let model = makeModel()
      model.query = "same"
      scheduler.run()
      model.query = "other"
      scheduler.advance(by: .milliseconds(100))
      model.query = "same"
      scheduler.run()
      #expect(log.all == ["search same"])
      #expect(model.results == ["SAME"])
    }
  }

  @Test func `no order of tasks shows an outdated answer`() {
    explore(runs: 100) { order in
      let scheduler = DispatchQueue.test(order: order)
      try scheduler.withVirtualWorld {
        let model = AsyncSearchViewModel(clock: scheduler.clock) { query in
          try await scheduler.clock.sleep(for: .milliseconds(query.count == 1 ? 600 : 300))
          return [query]
        }
        model.query = "s"
        scheduler.advance(by: .milliseconds(300))
        model.query = "st"
        scheduler.advance(by: .milliseconds(600))
        try #require(model.results == ["st"])
        try #require(!model.isLoading)
      }
    }
  }

  @Test func `the example and the tests have the same view model`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let package = tests.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let ours = try markedLines(of: tests.appendingPathComponent("AsyncSearchViewModel.swift"))
    let example = try markedLines(of: package.appendingPathComponent("Snippets/AsyncIncrementalSearch.swift"))
    #expect(ours == example)
    #expect(ours.count > 20)
  }

  private func markedLines(of file: URL) throws -> [Substring] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "// snippet.AsyncSearchViewModel"))
    let end = try #require(lines[start...].firstIndex(of: "// snippet.end"))
    return Array(lines[start..<end])
  }
}

/// The same as a test case of XCTest, which runs on the main thread.
final class AsyncSearchXCTests: XCTestCase {
  func testNewerQuerySupersedesRunningSearch() {
    MainActor.assumeIsolated {
      let scheduler = DispatchQueue.test
      scheduler.withVirtualWorld {
        let model = AsyncSearchViewModel(clock: scheduler.clock) { query in
          try await scheduler.clock.sleep(for: .milliseconds(500))
          return [query.uppercased()]
        }
        model.query = "s"
        scheduler.advance(by: .milliseconds(400))
        XCTAssertTrue(model.isLoading)
        model.query = "st"
        scheduler.advance(by: .milliseconds(800))
        XCTAssertEqual(model.results, ["ST"])
        XCTAssertFalse(model.isLoading)
        scheduler.assertIdle()
      }
    }
  }
}
