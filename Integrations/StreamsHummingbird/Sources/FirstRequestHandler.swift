internal import HTTPTypes
internal import Hummingbird
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

  /// What becomes of the request.
  private(set) var decision = WebSocketUpgrade.Decision.pass

  private let idleTimeout: TimeAmount?
  private let decide: @Sendable (Request) async -> WebSocketUpgrade.Decision
  private var state = State.awaitsHead
  private var isReadHeld = false
  private var timeout: Scheduled<Void>?

  init(idleTimeout: TimeAmount?, decide: @escaping @Sendable (Request) async -> WebSocketUpgrade.Decision) {
    self.idleTimeout = idleTimeout
    self.decide = decide
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
      context.eventLoop.makeFutureWithTask { [decide] in
        await decide(Request(head: request, body: RequestBody(buffer: ByteBuffer())))
      }
      .assumeIsolated().whenComplete { self.proceed((try? $0.get()) ?? .pass, head, context) }
    }
  }

  func read(context: ChannelHandlerContext) {
    if case .decides = state { isReadHeld = true } else { context.read() }
  }

  private func proceed(
    _ decision: WebSocketUpgrade.Decision, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    // Otherwise, the channel has been closed meanwhile.
    guard case .decides(let parts) = state else { return }
    state = .hasDecided
    self.decision = decision
    if case .upgrade = decision, let refusal = head.refusal { self.decision = .respond(refusal) }
    let upgrades = if case .upgrade = self.decision { true } else { false }
    context.fireChannelRead(wrapInboundOut(.head(upgrades ? head : head.withoutUpgrade)))
    for part in parts { context.fireChannelRead(wrapInboundOut(part)) }
    context.fireChannelReadComplete()
    if isReadHeld { context.read() }
  }
}

extension HTTPRequestHead {
  private static let webSocketVersion = "13"

  fileprivate var opensWebSocket: Bool {
    // HTTP/1.0 has no upgrades.
    method == .GET && version != .http1_0 && asksForUpgrade
      && headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
  }

  private var asksForUpgrade: Bool {
    headers.contains(name: "Upgrade") && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
  }

  /// The response to a request whose opening of a web socket breaks RFC 6455, or has another version of it.
  fileprivate var refusal: Response? {
    if headers["Sec-WebSocket-Version"] != [Self.webSocketVersion] {
      Response(
        status: .upgradeRequired,
        headers: [.upgrade: "websocket", .connection: "upgrade, close", .secWebSocketVersion: Self.webSocketVersion])
    } else if headers["Sec-WebSocket-Key"].count != 1 || !headers["Sec-WebSocket-Key"].allSatisfy(Self.isKey) {
      Response(status: .badRequest, headers: [.connection: "close"])
    } else {
      nil
    }
  }

  /// Whether a text is 16 bytes in Base64.
  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy {
        switch $0 {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }

  /// The head of an ordinary request. After one that asks for an upgrade, NIO reads nothing more, so the connection ends with the
  /// response.
  fileprivate var withoutUpgrade: HTTPRequestHead {
    var head = self
    head.headers.remove(name: "Upgrade")
    if asksForUpgrade { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    return head
  }
}
