import ArgumentParser
import AsyncHTTPClient
import Board
import Foundation
import GRDB
import InMemoryLogging
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsHTTPClient
import StreamsNIO
import Synchronization
import TestSupport
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct BoardTests {
  /// Runs a board with a database of its own for the time of a closure, and stops it gracefully.
  static func withBoard(
    logger: Logger = quiet, _ body: @escaping @Sendable (Board.Ports) async throws -> Void
  ) async throws {
    try await withDatabase { try await withBoard(at: $0, logger: logger, body) }
  }

  private static let quiet: Logger = {
    var logger = Logger(label: "board")
    logger.logLevel = .critical
    return logger
  }()

  private static func withBoard(
    at path: String, logger: Logger = quiet, _ body: @escaping @Sendable (Board.Ports) async throws -> Void
  ) async throws {
    let configuration = Board.Configuration(database: path, port: 0, feedPort: 0)
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

  static func withDatabase(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("board-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appendingPathComponent("board.sqlite").path)
  }

  /// What a page has received.
  private struct Received: Sendable {
    var numbers: [Int] = []
    /// The ID of the last event.
    var id: String?
    var gaps = 0
  }

  /// Receives a number of readings.
  private func receive(
    _ count: Int, port: Int, after last: String? = nil, _ note: @Sendable (Int) -> Void = { _ in }
  ) async throws -> Received {
    let events = HTTPClient.shared.serverSentEvents(
      from: HTTPClientRequest(url: "http://127.0.0.1:\(port)/readings"), after: last,
      reconnecting: .immediate(maxRetries: 0))
    var received = Received()
    for try await event in events.values {
      if event.event == "gap" { received.gaps += 1 }
      received.id = event.id
      if event.event == nil, let data = event.data {
        received.numbers += try JSONDecoder().decode([Reading].self, from: Data(data.utf8)).map(\.id)
      }
      note(received.numbers.last ?? 0)
      if received.numbers.count >= count { break }
    }
    return received
  }

  @Test func `pages get each reading once, also those from before and after a lost connection`() async throws {
    try await Self.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(500)
      try await feed.settle()
      async let received = receive(1_500, port: ports.pages)
      for _ in 0..<100 {
        try feed.send(10)
        try await feed.settle()
      }
      let all = try await received
      #expect(all.numbers == Array(1...1_500) && all.gaps == 0)
      let id = try #require(all.id).replacing("1500", with: "1200")
      let resumed = try await receive(300, port: ports.pages, after: id)
      #expect(resumed.numbers == Array(1_201...1_500) && resumed.gaps == 0)
    }
  }

  @Test func `a database that another program has locked for a moment makes feeds wait`() async throws {
    try await Self.withDatabase { path in
      try await Self.withBoard(at: path) { ports in
        let feed = try await TestFeed(port: ports.feed)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try feed.send(1)
        // Answered without writing, after the reading has arrived.
        _ = try await TestFeed(port: ports.feed, name: "other")
        #expect(feed.acknowledged == 0)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await feed.settle()
      }
    }
  }

  @Test func `what a feed sends can't control a terminal`() async throws {
    let log = InMemoryLogHandler()
    var logger = Logger(label: "board") { _ in log }
    logger.logLevel = .debug
    try await Self.withBoard(logger: logger) { ports in
      let feed = try await TestFeed(port: ports.feed, name: "\u{1B}[2J")
      try feed.send(1)
      try await feed.settle()
      feed.send(line: "\u{1B}[31mred\u{9B}2J\u{202E}\u{2028}")
      #expect(await !feed.receive())
      try await wait(for: "the line is logged") { log.entries.contains { $0.message.description.contains("31mred") } }
      for entry in log.entries {
        let texts = [entry.message.description] + entry.metadata.values.map { "\($0)" }
        #expect(!texts.contains { $0.contains(#/[\u{1B}\u{9B}\u{202E}\u{2028}]/#) }, "\(entry)")
      }
    }
  }

  @Test(arguments: ["--port", "--feed-port", "--inspector-port"])
  func `a port that there isn't is refused`(option: String) {
    #expect(throws: (any Error).self) { try BoardServer.parse(["\(option)=65536"]) }
    #expect(throws: (any Error).self) { try BoardServer.parse(["\(option)=-1"]) }
    #expect(throws: Never.self) { try BoardServer.parse(["\(option)=65535"]) }
  }

  @Test func `a page that has missed more than the board sends again is told so`() async throws {
    try await Self.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(10)
      try await feed.settle()
      let id = try await receive(10, port: ports.pages).id
      for _ in 0..<13 {
        try feed.send(1_000)
        try await feed.settle()
      }
      for id in [id, "former.13000", "13000"] {
        let received = try await receive(10_000, port: ports.pages, after: id)
        #expect(received.numbers == Array(3_011...13_010) && received.gaps == 1)
      }
    }
  }

  @Test func `a page that doesn't read harms nobody, and is told what it has missed`() async throws {
    try await Self.withBoard { ports in
      let stalled = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
        .connect(host: "127.0.0.1", port: ports.pages) { channel in
          channel.eventLoop.makeCompletedFuture {
            try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
          }
        }
      try await stalled.channel.writeAndFlush(ByteBuffer(string: "GET /readings HTTP/1.1\r\nhost: localhost\r\n\r\n"))
      // More than both systems keep for a connection.
      let count = 200_000
      let seen = Mutex(0)
      async let received = receive(count, port: ports.pages) { last in seen.withLock { $0 = last } }
      let feed = try await TestFeed(port: ports.feed)
      for _ in 0..<count / 1_000 {
        try feed.send(1_000)
        try await feed.settle()
        // The page that reads has to stay within what the board sends again.
        let sent = Int(feed.sent)
        try await wait(for: "the page follows") { seen.withLock { $0 > sent - 5_000 } }
      }
      let all = try await received
      #expect(all.numbers == Array(1...count) && all.gaps == 0)
      var gaps = 0
      var end = ""
      for try await part in stalled.values(bounded: 4, whenFull: .wait) {
        end = end.suffix(16) + String(buffer: part)
        gaps += end.ranges(of: "event: gap").count
        if gaps > 0 { break }
      }
      #expect(gaps == 1)
    }
  }

  @Test func `a feed that stays connected doesn't keep a cancelled board alive`() async throws {
    let connections = Mutex<[any Channel]>([])
    try await Self.withBoard { ports in
      let idle = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: ports.feed).get()
      try await idle.writeAndFlush(ByteBuffer(string: "idle\n"))
      connections.withLock { $0.append(idle) }
      // Connections are accepted in their order, so the idle one is served too.
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(1)
      try await feed.settle()
    }
    // The board has been cancelled, as a group does when another service has failed, and has ended.
    for connection in connections.withLock({ $0 }) { try await connection.closeFuture.get() }
  }

  @Test func `a line that isn't a reading ends its connection after the readings before it are stored`() async throws {
    try await Self.withBoard { ports in
      let feed = try await TestFeed(port: ports.feed)
      try feed.send(3)
      try await feed.settle()
      let good = #"{"sequence": 1, "sensor": "pump", "value": 2}"#
      let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: ports.feed).get()
      try await connection.writeAndFlush(ByteBuffer(string: "other\n\(good)\nnonsense\n\(good)\n"))
      try await connection.closeFuture.get()
      let other = try await TestFeed(port: ports.feed, name: "other")
      #expect(other.acknowledged == 1)
      // The first one goes on.
      try feed.send(1)
      try await feed.settle()
      #expect(try await receive(5, port: ports.pages).numbers.count == 5)
    }
  }

  @Test func `another reading with a stored number isn't acknowledged`() async throws {
    try await Self.withDatabase { path in
      let store = try ReadingStore(path: path)
      let reading = Submission(sequence: 1, sensor: "pump", value: 2)
      try await store.store([reading], from: "plant")
      try await store.store([reading], from: "plant")
      await #expect(throws: ConflictingSubmission.self) {
        try await store.store(
          [Submission(sequence: 2, sensor: "pump", value: 2), Submission(sequence: 1, sensor: "pump", value: 3)],
          from: "plant")
      }
      #expect(try await store.lastSequence(of: "plant") == 1)
    }
  }

  @Test func `a board whose port is taken ends, and says which one`() async throws {
    try await Self.withDatabase { path in
      let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0).get()
      let port = try #require(taken.localAddress?.port)
      let all: [Board.Configuration] = [
        .init(database: path, port: port, feedPort: 0, inspectorPort: 0),
        .init(database: path, port: 0, feedPort: port, inspectorPort: 0),
        .init(database: path, port: 0, feedPort: 0, inspectorPort: port),
      ]
      for configuration in all {
        var logger = Logger(label: "board")
        logger.logLevel = .critical
        let board = Board(configuration, logger: logger, metrics: PrometheusMetrics())
        let error = await #expect(throws: PortIsTaken.self) { try await board.run() }
        #expect(error?.port == port)
      }
      try await taken.close()
    }
  }

  @Test func `a file that isn't a database is named`() async throws {
    try await Self.withDatabase { path in
      try String(repeating: "nonsense", count: 1_000).write(toFile: path, atomically: false, encoding: .utf8)
      let error = #expect(throws: UnusableDatabase.self) { try ReadingStore(path: path) }
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test func `a stop acknowledges the batch that is being stored`() async throws {
    try await Self.withDatabase { path in
      for _ in 0..<3 {
        let server = try await BoardServerProcess(database: path)
        let feed = try await TestFeed(port: server.ports.feed)
        try feed.send(3_000)
        async let status = server.stop(after: .milliseconds(20), SIGTERM)
        while await feed.receive() {}
        #expect(await status == 0)
        let next = try await BoardServerProcess(database: path)
        #expect(try await TestFeed(port: next.ports.feed).acknowledged == feed.acknowledged)
        _ = await next.stop(SIGKILL)
      }
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
      let page = try await receive(min(count, 10_000), port: server.ports.pages)
      #expect(page.numbers.last == count && page.gaps == 0)
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
