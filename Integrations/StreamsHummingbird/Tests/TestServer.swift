import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

/// A server on a port of the loopback interface, for the time of a test.
struct TestServer: Sendable {
  let port: Int
  private let group: ServiceGroup

  static func run<Context: RequestContext, Result: Sendable>(
    _ router: Router<Context>, _ builder: HTTPServerBuilder = .http1(),
    _ body: @escaping @Sendable (TestServer) async throws -> Result
  ) async throws -> Result where Context.Source == ApplicationRequestContextSource {
    let (ports, port) = AsyncStream<Int>.makeStream()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = Application(
      router: router, server: builder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress!.port!) }, logger: logger)
    let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { port.finish() }
        try await services.run()
      }
      var iterator = ports.makeAsyncIterator()
      let server = TestServer(port: try #require(await iterator.next()), group: services)
      do {
        let result = try await body(server)
        await services.triggerGracefulShutdown()
        try await group.waitForAll()
        return result
      } catch {
        group.cancelAll()
        throw error
      }
    }
  }

  func shutDown() async { await group.triggerGracefulShutdown() }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// Connects without HTTP. The socket's receive buffer is small, and nothing is read before it's awaited.
  @discardableResult
  func connect<Result: Sendable>(
    sending text: String,
    _ body: @escaping @Sendable (Connection) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      return try await body(Connection(channel: channel.channel, inbound: inbound, outbound: outbound))
    }
  }
}

struct Connection: Sendable {
  let channel: any Channel
  let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
  let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

  /// Reads until the text that has been read contains another, and returns it. Once for each connection.
  @discardableResult
  func read(until end: String) async throws -> String {
    var text = ""
    for try await buffer in inbound {
      text += String(buffer: buffer)
      if text.contains(end) { return text }
    }
    Issue.record("The connection ended before \(end), after \(text)")
    return text
  }

  /// Reads until the server closes the connection.
  func readToEnd() async throws -> String { try await inbound.reduce(into: "") { $0 += String(buffer: $1) } }
}

struct Broken: Error {}
