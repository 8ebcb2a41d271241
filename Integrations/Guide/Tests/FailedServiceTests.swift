import AsyncHTTPClient
import Hummingbird
import Logging
import MetricsTestKit
import NIOCore
import NIOPosix
import ServiceLifecycle
import StreamAlgorithms
import Streams
import StreamsHummingbird
import StreamsInspectorPage
import StreamsObservability
import StreamsService
import Synchronization
import TestSupport
import Testing

/// The services of the article "With a server framework", with clients that stay connected.
@Suite(.timeLimit(.minutes(5)))
struct FailedServiceTests {
  enum Failing: CaseIterable {
    case stream, server, page, unknown
  }

  private struct Problem: Error {}

  private struct FailingService: Service {
    func run() async throws { throw Problem() }
  }

  /// Begins another service as soon as clients are connected.
  private struct LateService: Service {
    let begin: AsyncStream<Void>
    let service: any Service

    func run() async throws {
      for await _ in begin { try await service.run() }
    }
  }

  @Test(arguments: Failing.allCases)
  func `a service that fails ends the process, although clients are connected`(failing: Failing) async throws {
    let taken = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let takenPort = try #require(taken.localAddress?.port)

    let prices = PassthroughSubject<Double, Never>()
    let trades = MemoryEventLog(capacity: 1_000)
    let opened = Counter()
    let router = Router(context: ChannelContext.self)
    router.get("prices") { request, context in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
    }
    router.get("trades") { request, context in
      try await Response.serverSentEvents(to: request, from: trades, context: context)
    }
    router.ws("socket") { webSocket, _ in
      opened.increment()
      try await webSocket.send(prices.map { .text("\($0)") })
    }
    router.ws("listener") { webSocket, _ in
      opened.increment()
      for try await _ in webSocket.messages.values {}
    }
    router.post("upload") { request, context in
      opened.increment()
      for try await _ in request.body.publisher.values {}
      return "done"
    }

    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router, server: .http1WebSocketUpgrade(webSocketRouter: router),
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: .quiet)
    let orders = BoundedSubject<Int, Never>(bounded: 100)
    let begun = Counter()
    let storing = StreamService("orders") { stop in
      orders.finish(when: stop).map(maxTasks: 16) { order in
        begun.increment()
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
    let reporter = StreamReporter(interval: .seconds(10), logger: .quiet, metricsFactory: TestMetrics())
    let last: any Service =
      switch failing {
      case .stream: StreamService("failing") { _ in Fail<Never, Problem>(error: Problem()) }
      case .server:
        Application(
          router: Router(), configuration: .init(address: .hostname("127.0.0.1", port: takenPort)), logger: .quiet)
      case .page: InspectorPage(port: takenPort)
      case .unknown: FailingService()
      }
    let (begin, start) = AsyncStream.makeStream(of: Void.self)
    let group = ServiceGroup(
      services: [application, storing, reporter, InspectorPage(port: 0), LateService(begin: begin, service: last)],
      logger: .quiet)
    let failure = Mutex<(any Error)?>(nil)
    let running = Task {
      do {
        try await group.run()
      } catch {
        failure.withLock { $0 = error }
      }
    }

    var iterator = ports.makeAsyncIterator()
    let serverPort = try #require(await iterator.next())
    var responses: [HTTPClientResponse] = []
    for path in ["prices", "trades"] {
      responses.append(
        try await HTTPClient.shared.execute(
          HTTPClientRequest(url: "http://127.0.0.1:\(serverPort)/\(path)"), timeout: .seconds(60)))
    }
    let requests = [
      webSocketOpening("socket"), webSocketOpening("listener"),
      ByteBuffer(
        string: "POST /upload HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\nthe first part"),
    ]
    var channels: [any Channel] = []
    for request in requests {
      let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: serverPort).get()
      try await channel.writeAndFlush(request)
      channels.append(channel)
    }
    try await orders.send(1)
    try await wait(for: "all clients are connected") { opened.value == 3 && begun.value == 1 }

    let beginning = ContinuousClock.now
    start.yield()
    // It takes milliseconds. Busy processes may slow it down, and a wait that ignores cancellation takes for ever.
    try await wait(for: "the other services have ended") { failure.withLock { $0 != nil } }
    print("The process ends \(ContinuousClock.now - beginning) after its service \(failing) has failed.")
    await running.value
    for channel in channels { try? await channel.close() }
    try await taken.close()
    withExtendedLifetime(responses) {}
  }
}
