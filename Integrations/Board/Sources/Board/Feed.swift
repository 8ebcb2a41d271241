import Foundation
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsNIO
import StreamsService
import Tracing

/// Receives readings over TCP, stores them and acknowledges what is stored.
///
/// A feed sends its name in the first line, and a ``Submission`` in each further one. The board answers with the last sequence
/// number that it has stored, first for the name and then after each transaction:
///
///     → plant-1
///     ← 0
///     → {"sequence": 1, "sensor": "boiler", "value": 61.5}
///     → {"sequence": 2, "sensor": "pump", "value": 3.1}
///     ← 2
///
/// While a batch is being stored, nothing is read. A feed that is faster than the database has to wait, and its next batch is larger.
struct Feed: Service, CustomStringConvertible {
  let port: Int
  let store: ReadingStore
  let logger: Logger
  let onRunning: @Sendable (Int) -> Void

  var description: String { "feed" }

  func run() async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(LineBasedFrameDecoder(), maximumBufferSize: 65_536), IncompleteLineHandler(),
            ReadBatchHandler<ByteBuffer>())
          return try ChannelPublisher(wrappingChannelSynchronously: channel, of: [ByteBuffer].self)
        }
      }
    onRunning(listener.channel.localAddress?.port ?? port)
    try await withGracefulShutdownHandler {
      try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { group in
          for try await connection in connections { group.addTask { await serve(connection) } }
        }
      }
    } onGracefulShutdown: {
      // No further connections. Those that are open end by themselves: see `serve`.
      listener.channel.close(promise: nil)
    }
  }

  /// Handles a connection until the feed ends it or the service stops. What has been read until then is stored and acknowledged.
  private func serve(_ connection: ChannelPublisher<[ByteBuffer]>) async {
    var logger = logger
    logger[metadataKey: "peer"] = "\(connection.channel.remoteAddress?.description ?? "unknown")"
    logger.info("A feed has connected.")
    let session = FeedSession(store: store, logger: logger)
    let acknowledgements =
      connection
      .map(maxTasks: 1) { lines in try await session.handle(lines) }
      .checkpoint("feed")
    do {
      try await withGracefulShutdownHandler {
        for try await acknowledgement in acknowledgements.values {
          try await connection.channel.writeAndFlush(acknowledgement)
        }
      } onGracefulShutdown: {
        // Nothing more is read. To cancel the stream would close the output, too.
        connection.channel.close(mode: .input, promise: nil)
      }
      try Task.checkCancellation()
      try await connection.channel.close(mode: .output)
      logger.info("A feed has disconnected.")
    } catch ChannelError.alreadyClosed {
      logger.info("A feed has disconnected.")
    } catch {
      connection.channel.close(promise: nil)
      logger.warning("The connection of a feed has failed: \(error)")
    }
  }
}

/// Ignores a line whose end hasn't arrived when the connection ends. It isn't acknowledged, so the feed sends it again.
private final class IncompleteLineHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !(error is NIOExtrasErrors.LeftOverBytesError) { context.fireErrorCaught(error) }
  }
}

/// The conversation with one feed.
private actor FeedSession {
  private let store: ReadingStore
  private let logger: Logger
  private let decoder = JSONDecoder()
  private var feed: String?

  init(store: ReadingStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

  /// Stores the readings of some lines and returns the acknowledgement.
  func handle(_ lines: [ByteBuffer]) async throws -> ByteBuffer {
    try await withSpan("store") { span in
      var lines = lines[...]
      if feed == nil, let first = lines.popFirst() { feed = String(buffer: first) }
      let name = feed ?? ""
      var submissions: [Submission] = []
      var unreadable: UnreadableLine?
      for line in lines {
        guard let submission = try? decoder.decode(Submission.self, from: Data(line.readableBytesView)) else {
          unreadable = UnreadableLine(line: String(buffer: line), feed: name)
          break
        }
        submissions.append(submission)
      }
      if !submissions.isEmpty { try await store.store(submissions, from: name) }
      // The feed learns how far it got when it connects again.
      if let unreadable { throw unreadable }
      span.attributes["readings"] = submissions.count
      logger.debug("Readings are stored.", metadata: ["feed": "\(name.quoted)", "readings": "\(submissions.count)"])
      let last = if let last = submissions.last?.sequence { last } else { try await store.lastSequence(of: name) }
      return ByteBuffer(string: "\(last)\n")
    }
  }
}

/// A line of a feed that isn't a submission. It ends the connection after the readings before it are stored.
struct UnreadableLine: Error, CustomStringConvertible {
  let line: String
  let feed: String

  var description: String {
    "The feed \(feed.quoted) has sent a line that isn't a reading: \(String(line.prefix(200)).quoted). "
      + "A reading looks like this: "
      + #"{"sequence": 17, "sensor": "boiler", "value": 61.5}"#
  }
}

extension String {
  /// The text in quotation marks. Characters that control a terminal, or the direction of its text, are escaped, so that a feed
  /// can't write them into the log.
  var quoted: String {
    unicodeScalars.reduce(into: "\"") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text += scalar.escaped(asASCII: false)
      }
    } + "\""
  }
}
