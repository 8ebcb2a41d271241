import AsyncHTTPClient
import Dispatch
import Foundation
import Hummingbird
import InMemoryTracing
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import StreamsHTTPClient
import StreamsHummingbird
import StreamsNIO
import StreamsObservability
import StreamsService
import Synchronization
import TestSupport
import Testing
import Tracing
import UnixSignals

/// The code of the article "With a server framework". `Tools/run examples` checks that the article has it from here.
@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct ServerFrameworksTests {
  @Test func `server-sent events`() async throws {
    let prices = CurrentValueSubject<Double, Never>(20.5)

    let router = Router(context: ChannelContext.self)
    router.get("prices") { request, context in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
    }

    let log = MemoryEventLog(capacity: 1_000)
    router.get("trades") { request, context in
      try await Response.serverSentEvents(to: request, from: log, context: context)
    }

    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: "http://127.0.0.1:\(port)/prices"), timeout: .seconds(60))
      var text = ""
      for try await part in response.body {
        text += String(buffer: part)
        if text.contains("data: 20.5\n\n") { break }
      }
      #expect(text.contains("data: 20.5\n\n"))

      log.append(ServerSentEvent(data: "missed"))
      var resumed = HTTPClientRequest(url: "http://127.0.0.1:\(port)/trades")
      resumed.headers.add(name: "Last-Event-ID", value: "\(log.identity).-1")
      var missed = ""
      for try await part in try await HTTPClient.shared.execute(resumed, timeout: .seconds(60)).body {
        missed += String(buffer: part)
        if missed.hasSuffix("\n\n") { break }
      }
      #expect(missed == "id: \(log.identity).0\ndata: missed\n\n")
    }
  }

  @Test func `events from another server`() async throws {
    let log = MemoryEventLog(capacity: 1_000)
    let router = Router(context: ChannelContext.self)
    router.get("trades") { request, context in
      try await Response.serverSentEvents(to: request, from: log, latest: 1_000, context: context)
    }
    for number in 0..<100 { log.append(ServerSentEvent(data: "\(number)")) }
    let stored = Collected<String>()
    @Sendable func store(_ event: ServerSentEvent) async { stored.append(event.data ?? "") }

    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      let url = "http://127.0.0.1:\(port)/trades"
      let trades = HTTPClient.shared.serverSentEvents(from: HTTPClientRequest(url: url))
        .map(maxTasks: 1) { event in await store(event) }
      let subscription = trades.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      try await wait(for: "the trades are stored") { stored.count == 100 }
      #expect(stored.values == (0..<100).map { "\($0)" })
      subscription.cancel()
    }
  }

  @Test func `a web socket with a slow client`() async throws {
    let prices = CurrentValueSubject<Double, Never>(20.5)
    let router = Router()
    router.get("/") { _, _ in "not a web socket" }

    router.ws("prices/live") { webSocket, _ in
      try await webSocket.send(prices.map { .text("\($0)") }, bounded: 1, whenFull: .dropOldest)
    }

    let application = Application(
      router: router, server: .http1WebSocketUpgrade(webSocketRouter: router),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)))

    try await serve(application) { port in
      let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
          }
        }
      let received = channel.scan("") { $0 + String(buffer: $1) }.record()
      try await channel.channel.writeAndFlush(webSocketOpening("prices/live"))
      try await wait(for: "the price arrives") { received.values.last?.hasSuffix("20.5") == true }
    }
  }

  @Test func `a stop without loss`() async throws {
    let logger = quietLogger
    let stored = Mutex<[Int]>([])
    @Sendable func store(_ order: Int) async { stored.withLock { $0.append(order) } }

    let orders = BoundedSubject<Int, Never>(bounded: 100)
    let storing = StreamService("orders") { stop in
      orders.finish(when: stop).map(maxTasks: 16) { order in await store(order) }
    }
    let group = ServiceGroup(services: [storing], gracefulShutdownSignals: [.sigterm], logger: logger)

    async let run: Void = group.run()
    for order in 0..<1_000 { try await orders.send(order) }
    await group.triggerGracefulShutdown()
    try await run
    #expect(stored.withLock { $0.sorted() } == Array(0..<1_000))
  }

  @Test func `a trace that follows each value`() async throws {
    let tracer = InMemoryTracer()
    let orders = PassthroughSubject<Int, Never>()
    let queue = DispatchQueue(label: "orders")
    let stored = Mutex(0)
    @Sendable func store(_ order: Int) async -> Int { order }

    StreamContext.carryServiceContext()
    let storing =
      orders
      .receive(on: queue, bounded: 1_000, whenFull: .dropOldest)
      .map(maxTasks: 4) { order in
        await tracer.withSpan("store") { _ in await store(order) }
      }
      .sink { _ in stored.withLock { $0 += 1 } }

    tracer.withSpan("request") { _ in orders.send(1) }
    try await wait(for: "the order is stored") { stored.withLock { $0 == 1 } }
    let spans = tracer.finishedSpans
    let request = try #require(spans.first { $0.operationName == "request" })
    #expect(spans.first { $0.operationName == "store" }?.parentSpanID == request.spanID)
    storing.cancel()
  }

  @Test func `back-pressure from one socket to the other`() async throws {
    @Sendable func answer(_ message: ByteBuffer) async -> ByteBuffer { message }
    let port = Mutex(0)

    let serving = Task {
      let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .bind(host: "127.0.0.1", port: 0) { channel in
          channel.eventLoop.makeCompletedFuture {
            try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
          }
        }
      port.withLock { $0 = server.channel.localAddress?.port ?? 0 }
      try await server.executeThenClose { connections in
        for try await connection in connections {
          connection
            .map(maxTasks: 8) { message in await answer(message) }
            .subscribe(ChannelSubscriber(connection.channel))
        }
      }
    }

    try await wait(for: "the server listens") { port.withLock { $0 > 0 } }
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port.withLock { $0 }) { channel in
        channel.eventLoop.makeCompletedFuture {
          try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
        }
      }
    let answers = client.record()
    Just(ByteBuffer(string: "hello")).subscribe(ChannelSubscriber<ByteBuffer, Never>(client.channel))
    #expect(await answers.finished())
    #expect(answers.values.map { String(buffer: $0) }.joined() == "hello")
    serving.cancel()
    _ = await serving.result
  }

  private var quietLogger: Logger { .quiet }
}
