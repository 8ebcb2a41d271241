import Hummingbird
import HummingbirdHTTP2
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import StreamAlgorithms
import Streams
import StreamsHummingbird
import TestSupport
import Testing

/// Event streams over HTTP/2, where many share a connection, and each has a window of its own.
@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct HTTP2Tests {
  private struct Unexpected: Error {}
  private typealias Stream = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>

  @Test func `a stream that isn't read makes its publisher wait, and another one on its connection goes on`()
    async throws
  {
    let (sent, cancelled, ticks) = (Counter(), Counter(), PassthroughSubject<Int, Never>())
    let router = Router(context: ChannelContext.self)
    router.get("rows") { request, context in
      let rows = AnySendablePublisher {
        (0..<Int.max).publisher.map { number in
          sent.increment()
          return ServerSentEvent(data: "\(number)" + String(repeating: ".", count: 1_000))
        }
        .handleEvents(receiveCancel: { cancelled.increment() })
      }
      return Response.serverSentEvents(to: request, rows, bounded: 16, whenFull: .wait, context: context)
    }
    router.get("ticks") { request, context in
      Response.serverSentEvents(to: request, ticks.map { ServerSentEvent(data: "\($0)") }, context: context)
    }
    try await TestServer.run(router, .plaintextHTTP2()) { server in
      let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: server.port) { channel in
          channel.configureAsyncHTTP2Pipeline(mode: .client) { stream in stream.eventLoop.makeSucceededVoidFuture() }
        }
      let unread = try await open(connection)
      let read = try await open(connection)
      try await unread.executeThenClose { inbound, outbound in
        try await outbound.write(request("/rows", port: server.port))
        try await read.executeThenClose { frames, requests in
          try await requests.write(request("/ticks", port: server.port))
          var iterator = frames.makeAsyncIterator()
          guard case .headers(let head)? = try await iterator.next() else { throw Unexpected() }
          #expect(head.headers.first(name: ":status") == "200")

          var before = -1
          try await wait(for: "the publisher of the unread stream waits") {
            defer { before = sent.value }
            try await Task.sleep(for: .milliseconds(200))
            return sent.value > 16 && before == sent.value
          }
          // The window of a stream has 64 KB, and NIO's stream and socket have about as much.
          #expect(sent.value < 1_000)
          for number in 0..<100 {
            ticks.send(number)
            guard case .data(let frame)? = try await iterator.next(), case .byteBuffer(let bytes) = frame.data else {
              throw Unexpected()
            }
            #expect(String(buffer: bytes) == "data: \(number)\n\n")
          }
        }
      }
      // Leaving a stream resets it, and the connection stays open.
      try await wait(for: "the subscription is cancelled") { cancelled.value == 1 }
    }
  }

  private func open(_ connection: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>) async throws -> Stream {
    try await connection.openStream { channel in
      channel.eventLoop.makeCompletedFuture {
        try Stream(
          wrappingChannelSynchronously: channel,
          configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
      }
    }
  }

  private func request(_ path: String, port: Int) -> HTTP2Frame.FramePayload {
    let headers: HPACKHeaders = [
      ":method": "GET", ":scheme": "http", ":path": path, ":authority": "127.0.0.1:\(port)",
    ]
    return .headers(.init(headers: headers, endStream: true))
  }
}
