import NIOCore
import NIOPosix
import StreamsNIO

/// Two connected sockets of this machine. The server's side publishes its messages.
struct Loopback {
  let server: ChannelPublisher<ByteBuffer>
  let client: any Channel

  /// Connects two sockets, whose buffers in the system are small.
  ///
  /// - Parameters:
  ///   - serverDecoder: A closure that returns a handler for the server's pipeline.
  ///   - clientDecoder: A closure that returns a handler for the client's pipeline.
  ///   - clientReads: Whether the client reads.
  ///   - clientStaysOpen: Whether the client stays open when the server has closed its side.
  static func connected(
    serverDecoder: (@Sendable () -> any ChannelHandler)? = nil,
    clientDecoder: (@Sendable () -> any ChannelHandler)? = nil,
    clientReads: Bool = true, clientStaysOpen: Bool = false, on group: MultiThreadedEventLoopGroup = .singleton
  ) async throws -> Loopback {
    let listener = try await ServerBootstrap(group: group)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.socketOption(.so_sndbuf), value: 65_536)
      .childChannelOption(.socketOption(.so_rcvbuf), value: 65_536)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let serverDecoder { try channel.pipeline.syncOperations.addHandler(serverDecoder()) }
          return try ChannelPublisher(wrappingChannelSynchronously: channel, of: ByteBuffer.self)
        }
      }
    let port = listener.channel.localAddress?.port ?? 0
    return try await listener.executeThenClose { connections in
      // A busy loop may take longer than the default of ten seconds.
      async let client = ClientBootstrap(group: group)
        .connectTimeout(.minutes(10))
        .channelOption(.allowRemoteHalfClosure, value: clientStaysOpen)
        .channelOption(.autoRead, value: clientReads)
        .channelOption(.socketOption(.so_sndbuf), value: 65_536)
        .channelOption(.socketOption(.so_rcvbuf), value: 65_536)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let clientDecoder { try channel.pipeline.syncOperations.addHandler(clientDecoder()) }
          }
        }
        .connect(host: "127.0.0.1", port: port).get()
      for try await server in connections { return Loopback(server: server, client: try await client) }
      throw ChannelError.eof
    }
  }
}

/// Splits the input into pieces of eight bytes.
final class NumberDecoder: ByteToMessageDecoder {
  typealias InboundOut = ByteBuffer

  func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    guard let number = buffer.readSlice(length: 8) else { return .needMoreData }
    // A mark that no test sends by chance.
    if number.getInteger(at: number.readerIndex, as: UInt64.self) == .max { throw Unreadable() }
    context.fireChannelRead(wrapInboundOut(number))
    return .continue
  }

  func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
    try decode(context: context, buffer: &buffer)
  }
}

struct Unreadable: Error {}

/// A message that no handler of a socket can write.
struct Unwritable: Sendable {}
