public import ArgumentParser
import Board
import CoreMetrics
import Foundation
import Instrumentation
public import Logging
import UnixSignals

/// Runs a live board.
@main
struct BoardServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows readings of sensors in browsers, as they arrive over TCP.")

  @Option(help: "The port of the pages.")
  var port = 8080

  @Option(help: "The port to which feeds connect.")
  var feedPort = 9090

  @Option(help: "The port of the inspector's page. It isn't served without one.")
  var inspectorPort: Int?

  @Option(help: "The path of the database.")
  var database = "board.sqlite"

  @Flag(help: "Connects a feed with sensors that don't exist.")
  var demo = false

  @Flag(help: "Logs a span for each batch of readings that is stored.")
  var spans = false

  @Option(help: "The least severe level that is logged.")
  var logLevel = Logger.Level.info

  func validate() throws {
    for port in [port, feedPort, inspectorPort ?? 0] where !(0...65_535).contains(port) {
      throw ValidationError("A port is a number from 0 to 65535, got \(port).")
    }
  }

  func run() async throws {
    let level = logLevel
    LoggingSystem.bootstrap(
      { label, provider in
        var handler = StreamLogHandler.standardError(label: label, metadataProvider: provider)
        handler.logLevel = level
        return handler
      }, metadataProvider: LogTracer.metadataProvider)
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    var spanLogger = Logger(label: "trace")
    if !spans { spanLogger.logLevel = .critical }
    InstrumentationSystem.bootstrap(LogTracer(logger: spanLogger))

    let logger = Logger(label: "board")
    let configuration = Board.Configuration(
      database: database, port: port, feedPort: feedPort, inspectorPort: inspectorPort)
    let board = Board(configuration, logger: logger, metrics: metrics)
    try await withThrowingTaskGroup { group in
      let (running, isRunning) = AsyncStream.makeStream(of: Board.Ports.self)
      group.addTask {
        try await board.run(stoppingOn: [.sigterm, .sigint]) { ports in
          var text = "The board is at http://localhost:\(ports.pages)/ and listens for feeds at port \(ports.feed).\n"
          if let inspector = ports.inspector { text += "Its streams are at http://localhost:\(inspector)/.\n" }
          FileHandle.standardOutput.write(Data(text.utf8))
          isRunning.yield(ports)
        }
      }
      if demo {
        group.addTask {
          for await ports in running { try await DemoFeed(port: ports.feed, logger: logger).run() }
        }
      }
      // The board ends by a signal. The feed would go on.
      try await group.next()
      group.cancelAll()
    }
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
