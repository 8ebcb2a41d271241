import AsyncHTTPClient
import Hummingbird
import InMemoryLogging
import Logging
import MetricsTestKit
import NIOCore
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import StreamInspection
import Streams
import StreamsHummingbird
import StreamsObservability
import StreamsService
import TestSupport
import Testing

/// A reporter that observes the process, with times of which a hundred go into those of a server.
private let observing: (reporter: StreamReporter, log: InMemoryLogHandler) = {
  let log = InMemoryLogHandler()
  var thresholds = Inspection.Thresholds()
  (thresholds.growth, thresholds.silence) = (.milliseconds(100), .milliseconds(300))
  thresholds.withoutDemand = .milliseconds(300)
  let logger = Logger(label: "idle") { _ in log }
  return (
    StreamReporter(interval: .milliseconds(50), thresholds: thresholds, logger: logger, metricsFactory: TestMetrics()),
    log
  )
}()

/// The server of the article "With a server framework", while nothing happens.
@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct IdleServerTests {
  @Test func `an idle server gives no warning, and streams that are stuck are named`() async throws {
    let (reporter, log) = observing
    StreamInspector.stop()
    reporter.startInspecting()
    // Streams of an earlier test may not have ended yet.
    let earlier = Set(StreamInspector.streams.streams.map(\.id))
    defer { StreamInspector.stop() }

    let prices = PassthroughSubject<Double, Never>()
    let trades = MemoryEventLog(capacity: 1_000)
    let router = Router(context: ChannelContext.self)
    router.get("prices") { request, context in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
    }
    router.get("trades") { request, context in
      try await Response.serverSentEvents(to: request, from: trades, context: context)
    }
    let opened = Counter()
    router.ws("socket") { webSocket, _ in
      opened.increment()
      try await webSocket.send(prices.map { .text("\($0)") })
    }
    let lines = PassthroughSubject<WebSocketMessage, Never>()
    router.ws("chat") { webSocket, _ in
      opened.increment()
      try await webSocket.send(lines) { message in lines.send(message) }
    }
    router.ws("listener") { webSocket, _ in
      opened.increment()
      for try await _ in webSocket.messages.values {}
    }
    let orders = BoundedSubject<Int, Never>(bounded: 100)
    let storing = StreamService("orders") { stop in
      orders.finish(when: stop).map(maxTasks: 16) { order in await Task.yield() }
    }
    let services = ServiceGroup(services: [storing, reporter], logger: .quiet)
    async let run: Void = services.run()

    let application = Application(
      router: router, server: .http1WebSocketUpgrade(webSocketRouter: router),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)))
    try await serve(application) { port in
      var clients: [HTTPClientResponse] = []
      for path in ["prices", "trades"] {
        clients.append(
          try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)"), timeout: .seconds(60)))
      }
      var webSockets: [any Channel] = []
      for path in ["socket", "chat", "listener"] {
        let webSocket = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: "127.0.0.1", port: port).get()
        try await webSocket.writeAndFlush(webSocketOpening(path))
        webSockets.append(webSocket)
      }
      try await wait(for: "the web sockets are open") { opened.value == 3 }

      // They begin last. When they're named, the time of all others is over too.
      let left = PassthroughSubject<Int, Never>()
      let right = PassthroughSubject<Int, Never>()
      let zipPlace = "IdleServerTests.swift:\(#line - 1)"
      let zip = left.zip(right).sink(isolation: nil) { _ in }
      let unread = left.buffer(bounded: 8, whenFull: .dropOldest).values.makeAsyncIterator()
      let unreadPlace = "IdleServerTests.swift:\(#line - 1)"
      left.send(1)
      let places = { @Sendable in
        Set(log.entries.filter { $0.level >= .warning }.map { "\($0.metadata["place"] ?? "-")" })
      }
      // The first report looks up the lines of a large program.
      try await wait(for: "the stuck streams are named", within: .seconds(240)) {
        places().isSuperset(of: [zipPlace, unreadPlace])
      }
      #expect(
        StreamInspector.streams.streams.filter { !earlier.contains($0.id) }.compactMap(\.place).allSatisfy {
          $0.hasPrefix("IdleServerTests") || $0.hasPrefix("checkpoint")
        }, "\(StreamInspector.streams.streams)")
      #expect(places() == [zipPlace, unreadPlace], "\(log.entries.filter { $0.level >= .warning })")
      withExtendedLifetime((zip, right, unread, clients)) {}
      for webSocket in webSockets { try await webSocket.close() }
    }
    await services.triggerGracefulShutdown()
    try await run
  }
}
