import Foundation
import Hummingbird
public import Logging
import Metrics
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsHummingbird
import StreamsInspectorPage
import StreamsObservability
import StreamsService
public import UnixSignals

/// A live board: feeds send readings over TCP, a database keeps them, and pages in browsers show them as they arrive.
///
/// Each part is a service. A graceful shutdown ends them in the opposite order: the pages first, the feeds last.
public struct Board: Sendable {
  /// The addresses of a board.
  public struct Configuration: Sendable {
    /// The path of the database.
    public var database: String
    /// The port of the pages. With 0, the system chooses one.
    public var port: Int
    /// The port to which feeds connect.
    public var feedPort: Int
    /// The port of the inspector's page, or `nil` for none.
    public var inspectorPort: Int?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - database: The path of the database.
    ///   - port: The port of the pages.
    ///   - feedPort: The port to which feeds connect.
    ///   - inspectorPort: The port of the inspector's page, or `nil` for none.
    public init(database: String, port: Int = 8080, feedPort: Int = 9090, inspectorPort: Int? = nil) {
      (self.database, self.port, self.feedPort, self.inspectorPort) = (database, port, feedPort, inspectorPort)
    }
  }

  /// The ports of a running board.
  public struct Ports: Sendable, Hashable {
    /// The port of the pages.
    public var pages = 0
    /// The port to which feeds connect.
    public var feed = 0
    /// The port of the inspector's page, if there is one.
    public var inspector: Int?

    /// Creates ports that are all zero.
    public init() {}
  }

  private let configuration: Configuration
  private let logger: Logger
  private let metrics: PrometheusMetrics

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - configuration: The addresses.
  ///   - logger: The logger.
  ///   - metrics: The metrics, which the board shows at `/metrics`.
  public init(_ configuration: Configuration, logger: Logger, metrics: PrometheusMetrics) {
    (self.configuration, self.logger, self.metrics) = (configuration, logger, metrics)
  }

  /// Runs the board until it's told to stop.
  ///
  /// - Parameters:
  ///   - signals: The signals that stop it gracefully.
  ///   - onRunning: A closure that is called when all parts listen.
  /// - Throws: An error of the database or of a server.
  public func run(stoppingOn signals: [UnixSignal] = [], onRunning: @escaping @Sendable (Ports) -> Void = { _ in })
    async throws
  {
    StreamContext.carryServiceContext()
    let store = try ReadingStore(path: configuration.database)
    let received = Counter(label: "board_readings_total", factory: metrics)
    let reporter = StreamReporter(interval: .seconds(5), logger: logger, metricsFactory: metrics)
    let listening = Listening(count: configuration.inspectorPort == nil ? 2 : 3, onRunning)
    reporter.startInspecting()

    let pages = Application(
      router: router(store),
      configuration: .init(address: .hostname("127.0.0.1", port: configuration.port), serverName: "board"),
      onServerRunning: { listening.note(\.pages, $0.localAddress?.port ?? 0) }, logger: logger)
    let feed = Feed(port: configuration.feedPort, store: store, logger: logger) { listening.note(\.feed, $0) }
    // Keeps the observation of the database running while no page is open.
    let counting = StreamService("readings") { stop in
      store.lastID.finish(when: stop)
        .scan((last: Int?.none, new: 0)) { ($1, $1 - ($0.last ?? $1)) }
        .handleEvents(receiveOutput: { received.increment(by: $0.new) })
    }
    var services: [any Service] = [
      reporter, counting, ListeningService(port: configuration.feedPort, base: feed),
      ListeningService(port: configuration.port, base: pages),
    ]
    if let port = configuration.inspectorPort {
      let page = InspectorPage(port: port, logger: logger) { listening.note(\.inspector, $0.localAddress?.port ?? 0) }
      services.append(ListeningService(port: port, base: page))
    }
    try await ServiceGroup(services: services, gracefulShutdownSignals: signals, logger: logger).run()
  }

  private func router(_ store: ReadingStore) -> Router<ChannelContext> {
    let router = Router(context: ChannelContext.self)
    router.addMiddleware {
      TracingMiddleware()
      MetricsMiddleware()
    }
    router.get("/") { _, _ in Page.board.response }
    router.get("board.js") { _, _ in Page.script.response }
    router.get("board.css") { _, _ in Page.style.response }
    router.get("icon.svg") { _, _ in Page.icon.response }
    router.get("metrics") { [metrics] _, _ in metrics.page }

    router.get("readings") { request, context in
      // A browser that has lost its connection says what it has received. Another one gets the last minutes.
      try await Response.serverSentEvents(to: request, from: store, latest: .max, context: context)
    }
    return router
  }
}
