import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import StreamsHummingbird

/// A connection to a router, on an event loop whose time a test advances.
struct VirtualConnection {
  let loop = NIOAsyncTestingEventLoop()
  let channel: NIOAsyncTestingChannel

  init(to router: Router<ChannelContext>) async throws {
    let (channel, logger) = (NIOAsyncTestingChannel(loop: loop), Logger(label: "test"))
    let responder = router.buildResponder()
    let http = HTTP1Channel { request, writer, channel in
      let context = ChannelContext(source: .init(channel: channel, logger: logger))
      let response = try await responder.respond(to: request, context: context)
      try await writer.write(response: response.head, body: response.body)
    }
    let requests = try await loop.executeInContext { http.setup(channel: channel, logger: logger) }.get()
    try await channel.connect(to: .init(ipAddress: "127.0.0.1", port: 80)).get()
    Task { await http.handle(value: requests, logger: logger) }
    self.channel = channel
  }

  /// Sends the head of a request.
  func get(_ path: String) async throws {
    try await channel.writeInbound(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n"))
  }

  /// As a client whose buffers are full.
  func stopReading() async throws {
    try await loop.executeInContext {
      channel.isWritable = false
      channel.pipeline.fireChannelWritabilityChanged()
    }
  }

  /// What has been written by now.
  func written() async throws -> String {
    var text = ""
    while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }

  /// Waits until a text has been written.
  func receive(_ text: String) async throws {
    var written = ""
    while !written.contains(text) {
      written += String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
    }
  }
}
