import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamsGRPC

typealias SocketClient = GRPCClient<HTTP2ClientTransport.Posix>

/// A server with sockets on the loopback interface.
struct SocketServer: Sendable {
  let server: GRPCServer<HTTP2ServerTransport.Posix>
  let port: Int
  /// Ends when the server has stopped.
  let serving: Task<Void, any Error>

  init(
    _ services: [any RegistrableRPCService], port: Int = 0, interceptors: [any ServerInterceptor] = [],
    windowSize: Int? = nil
  ) async throws {
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: .plaintext,
      config: .defaults { config in
        config.connection.keepalive.clientBehavior.minPingIntervalWithoutCalls = .seconds(1)
        config.connection.keepalive.clientBehavior.allowWithoutCalls = true
        if let windowSize { config.http2.targetWindowSize = windowSize }
      })
    let server = GRPCServer(transport: transport, services: services, interceptors: interceptors)
    self.server = server
    serving = Task { try await server.serve() }
    guard let port = try await transport.listeningAddress.ipv4?.port else { throw ConditionNotMet() }
    self.port = port
  }

  /// Stops the server, and waits for the end of its calls.
  func stop() async throws {
    server.beginGracefulShutdown()
    try await serving.value
  }
}

/// Runs a closure with a client of a port.
func withSocketClient<Result: Sendable>(
  port: Int, interceptors: [any ClientInterceptor] = [], keepAlive: Duration? = nil, windowSize: Int? = nil,
  _ body: (SocketClient) async throws -> Result
) async throws -> Result {
  let transport = try HTTP2ClientTransport.Posix(
    target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
    config: .defaults { config in
      config.backoff = .init(initial: .milliseconds(50), max: .milliseconds(500), multiplier: 1.6, jitter: 0.2)
      if let keepAlive {
        config.connection.keepalive = .init(time: keepAlive, timeout: .seconds(1), allowWithoutCalls: true)
      }
      if let windowSize { config.http2.targetWindowSize = windowSize }
    })
  return try await withGRPCClient(
    transport: transport, interceptors: interceptors, stoppingWithin: .seconds(4), body)
}
