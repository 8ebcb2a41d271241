import AsyncHTTPClient
import Board
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsNIO
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct BoardTests {
  /// Runs a board with a database of its own for the time of a closure, and stops it gracefully.
  static func withBoard(
    bound: Int = 64, inspected: Bool = false, _ body: @escaping @Sendable (Board.Ports) async throws -> Void
  ) async throws {
    try await withDatabase { path in
      var configuration = Board.Configuration(
        database: path, port: 0, feedPort: 0, inspectorPort: inspected ? 0 : nil)
      configuration.bound = bound
      var logger = Logger(label: "board")
      logger.logLevel = .critical
      let board = Board(configuration, logger: logger, metrics: PrometheusMetrics())
      let (running, isRunning) = AsyncStream.makeStream(of: Board.Ports.self)
      try await withThrowingTaskGroup { group in
        group.addTask { try await board.run { isRunning.yield($0) } }
        var ports = running.makeAsyncIterator()
        try await body(try #require(await ports.next()))
        group.cancelAll()
        do { try await group.waitForAll() } catch is CancellationError {}
      }
    }
  }

  static func withDatabase(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("board-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appendingPathComponent("board.sqlite").path)
  }

  /// The numbers of the readings that a page receives.
  private func readings(port: Int, after last: String? = nil, count: Int) async throws -> [Int64] {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/readings")
    if let last { request.headers.add(name: "Last-Event-ID", value: last) }
    let response = try await HTTPClient.shared.execute(request, timeout: .minutes(2))
    var numbers: [Int64] = []
    var line = ""
    for try await part in response.body {
      line += String(buffer: part)
      let lines = line.split(separator: "\n", omittingEmptySubsequences: false)
      line = lines.last.map { String($0) } ?? ""
      for text in lines.dropLast() where text.hasPrefix("data: ") {
        numbers += try JSONDecoder().decode([Reading].self, from: Data(text.dropFirst(6).utf8)).map(\.id)
      }
      if numbers.count >= count { return numbers }
    }
    return numbers
  }

  @Test func `pages get each reading once, also those from before and after a lost connection`() async throws {
    try await Self.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(500)
      try await feed.settle()
      async let received = readings(port: ports.pages, count: 1_500)
      for _ in 0..<100 {
        try feed.send(10)
        try await feed.settle()
      }
      #expect(try await received == Array(1...1_500))
      #expect(try await readings(port: ports.pages, after: "1200", count: 300) == Array(1_201...1_500))
    }
  }

  @Test func `a page that doesn't read is disconnected, and the others get everything`() async throws {
    try await Self.withBoard(bound: 4) { ports in
      let stalled = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
        .connect(host: "127.0.0.1", port: ports.pages).get()
      try await stalled.writeAndFlush(ByteBuffer(string: "GET /readings HTTP/1.1\r\nhost: localhost\r\n\r\n"))
      // More than both systems keep for a connection.
      let count = 200_000
      async let received = readings(port: ports.pages, count: count)
      let feed = try await TestFeed(port: ports.feed)
      for _ in 0..<count / 1_000 {
        try feed.send(1_000)
        try await feed.settle()
      }
      #expect(try await received == Array(1...Int64(count)))
      // It receives what the systems have kept, and then the end of the connection.
      try await stalled.setOption(.autoRead, value: true).get()
      try await stalled.closeFuture.get()
    }
  }

  @Test func `a line that isn't a reading ends its connection, and stores nothing of its batch`() async throws {
    try await Self.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(3)
      try await feed.settle()
      let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: ports.feed).get()
      try await connection.writeAndFlush(ByteBuffer(string: "other\nnonsense\n"))
      try await connection.closeFuture.get()
      // The first one goes on.
      try feed.send(1)
      try await feed.settle()
      #expect(try await readings(port: ports.pages, count: 4) == [1, 2, 3, 4])
    }
  }

  @Test func `a restart loses nothing that was acknowledged, and repeats nothing`() async throws {
    try await Self.withDatabase { path in
      var acknowledged: Int64 = 0
      for round in 0..<8 {
        let server = try await BoardServerProcess(database: path)
        let feed = try await TestFeed(port: server.ports.feed)
        #expect(feed.acknowledged >= acknowledged)
        let before = feed.acknowledged
        // Stopped gracefully and killed in turn, while readings are on their way.
        async let status = server.stop(after: .milliseconds(100 + 20 * round), round % 2 == 0 ? SIGTERM : SIGKILL)
        while true {
          try feed.send(20)
          guard await feed.receive() else { break }
        }
        acknowledged = feed.acknowledged
        #expect(acknowledged > before)
        #expect(await status == (round % 2 == 0 ? 0 : SIGKILL))
      }
      let server = try await BoardServerProcess(database: path)
      let feed = try await TestFeed(port: server.ports.feed)
      let count = Int(feed.acknowledged)
      #expect(count >= Int(acknowledged))
      #expect(try await readings(port: server.ports.pages, count: min(count, 10_000)).suffix(1) == [feed.acknowledged])
      print("\(acknowledged) readings were acknowledged in 8 runs.")
      _ = await server.stop(SIGKILL)
    }
  }
}

extension BoardServerProcess {
  func stop(after delay: Duration, _ signal: Int32) async -> Int32 {
    try? await Task.sleep(for: delay)
    return await stop(signal)
  }
}
