import AsyncHTTPClient
import Board
import NIOCore
import StreamInspection
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct BoardMetricsTests {
  @Test func `metrics count what is stored, and show queues under the names of checkpoints`() async throws {
    defer { StreamInspector.stop() }
    try await BoardTests.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(7)
      try await feed.settle()
      var page = ""
      let deadline = ContinuousClock.now + .seconds(60)
      while ContinuousClock.now < deadline {
        let response = try await HTTPClient.shared.get(url: "http://127.0.0.1:\(ports.pages)/metrics").get()
        page = response.body.map { String(buffer: $0) } ?? ""
        if page.contains("board_readings_total 7.0"), page.contains(#"checkpoint="readings""#),
          page.contains(#"checkpoint="feed""#)
        {
          return
        }
        try await Task.sleep(for: .milliseconds(20))
      }
      Issue.record("The metrics don't arrive: \(page)")
    }
  }
}
