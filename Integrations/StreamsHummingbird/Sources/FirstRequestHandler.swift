internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// Decides whether the first request of a channel becomes a web socket, in front of NIO's upgrade handler.
///
/// NIO's handler drops the head of a request that its upgraders refuse. Therefore, this one removes the header field `Upgrade`
/// of such requests, so that NIO's handler treats them as ordinary ones. It also closes a channel that receives no request, when
/// the server shuts down or the time is over.
final class FirstRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case awaitsHead
    /// Keeps what has been read already.
    case decides([HTTPServerRequestPart])
    case hasDecided
  }

  /// The request that becomes a web socket, and the header fields for its response.
  private(set) var upgrade: (request: HTTPRequest, fields: HTTPFields)?

  private let idleTimeout: TimeAmount?
  private let shouldUpgrade: @Sendable (HTTPRequest) async throws -> HTTPFields?
  private var state = State.awaitsHead
  private var isReadHeld = false
  private var timeout: Scheduled<Void>?

  init(idleTimeout: TimeAmount?, shouldUpgrade: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields?) {
    self.idleTimeout = idleTimeout
    self.shouldUpgrade = shouldUpgrade
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    timeout = idleTimeout.map { context.eventLoop.scheduleTask(in: $0) { channel.close(promise: nil) } }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timeout?.cancel()
    state = .hasDecided
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .hasDecided: context.fireChannelRead(data)
    case .decides(let parts): state = .decides(parts + [unwrapInboundIn(data)])
    case .awaitsHead:
      guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
      timeout?.cancel()
      guard head.opensWebSocket, let request = try? HTTPRequest(head, secure: false, splitCookie: false) else {
        state = .hasDecided
        return context.fireChannelRead(wrapInboundOut(.head(head.withoutUpgrade)))
      }
      state = .decides([])
      context.eventLoop.makeFutureWithTask { [shouldUpgrade] in try await shouldUpgrade(request) }
        .assumeIsolated().whenComplete { self.decide((try? $0.get()).map { (request, $0) }, head, context) }
    }
  }

  func read(context: ChannelHandlerContext) {
    if case .decides = state { isReadHeld = true } else { context.read() }
  }

  private func decide(
    _ upgrade: (request: HTTPRequest, fields: HTTPFields)?, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    // Otherwise, the channel has been closed meanwhile.
    guard case .decides(let parts) = state else { return }
    state = .hasDecided
    self.upgrade = upgrade
    context.fireChannelRead(wrapInboundOut(.head(upgrade == nil ? head.withoutUpgrade : head)))
    for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    context.fireChannelReadComplete()
    if isReadHeld { context.read() }
  }
}

extension HTTPRequestHead {
  /// Whether NIO's upgrader accepts this head as the opening of a web socket.
  fileprivate var opensWebSocket: Bool {
    method == .GET && headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
      && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && headers["Sec-WebSocket-Version"] == ["13"] && headers["Sec-WebSocket-Key"].count == 1
  }

  fileprivate var withoutUpgrade: HTTPRequestHead {
    var head = self
    head.headers.remove(name: "Upgrade")
    return head
  }
}
