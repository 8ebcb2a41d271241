import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import StreamsHummingbird
import Testing

/// A client of a web socket that sees frames and reads only what is awaited.
struct WebSocketClient: Sendable {
  typealias Connection = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  let channel: any Channel
  let inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
  let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

  func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer = ByteBuffer(), fin: Bool = true, masked: Bool = true)
    async throws
  {
    // The asynchronous writer wouldn't wait for the event loop.
    try await channel.writeAndFlush(
      WebSocketFrame(fin: fin, opcode: opcode, maskKey: masked ? .random() : nil, data: data)
    ).get()
  }

  func send(_ opcode: WebSocketOpcode, _ text: String, fin: Bool = true, masked: Bool = true) async throws {
    try await send(opcode, ByteBuffer(string: text), fin: fin, masked: masked)
  }

  func sendClose(_ code: UInt16, _ reason: String = "") async throws {
    var data = ByteBuffer(integer: code)
    data.writeString(reason)
    try await send(.connectionClose, data)
  }
}

/// A frame that a test compares.
struct Received: Equatable, CustomStringConvertible {
  let opcode: WebSocketOpcode
  let text: String

  static func text(_ text: String) -> Self { Self(opcode: .text, text: text) }

  static func close(_ code: Int, _ reason: String = "") -> Self {
    Self(opcode: .connectionClose, text: "\(code) \(reason)")
  }

  var description: String { "\(opcode) \(text)" }
}

extension NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator {
  mutating func receive() async throws -> Received? {
    guard let frame = try await next() else { return nil }
    var data = frame.unmaskedData
    if frame.opcode == .connectionClose, let code = data.readInteger(as: UInt16.self) {
      return .close(Int(code), String(buffer: data))
    }
    return Received(opcode: frame.opcode, text: String(buffer: data))
  }
}

struct NotUpgraded: Error {}

extension TestServer {
  func connectWebSocket<Result: Sendable>(
    _ path: String, _ body: @escaping @Sendable (WebSocketClient) async throws -> Result
  ) async throws -> Result {
    let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
      .channelOption(.socketOption(.so_sndbuf), value: 1 << 16)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketClientUpgrader<WebSocketClient.Connection>(maxFrameSize: 1 << 24) {
            channel, _ in
            channel.eventLoop.makeCompletedFuture {
              try WebSocketClient.Connection(
                wrappingChannelSynchronously: channel,
                configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
            }
          }
          let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["host": "localhost"])
          var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
              upgradeRequestHead: head, upgraders: [upgrader]
            ) {
              $0.close(promise: nil)
              return $0.eventLoop.makeFailedFuture(NotUpgraded())
            })
          configuration.leftOverBytesStrategy = .forwardBytes
          return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: configuration)
        }
      }
    return try await upgrade.get().executeThenClose { inbound, outbound in
      try await body(WebSocketClient(channel: upgrade.get().channel, inbound: inbound, outbound: outbound))
    }
  }
}
