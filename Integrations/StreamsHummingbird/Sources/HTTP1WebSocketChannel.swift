internal import HTTPTypes
internal import Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket

/// A channel of a server that upgrades to a web socket or handles ordinary HTTP/1 requests.
///
/// You get one from `HTTPServerBuilder.http1WebSocketUpgrade(webSocketRouter:configuration:)`.
public struct HTTP1WebSocketChannel: HTTPChannelHandler {
  /// The settings of a channel.
  public struct Configuration: Sendable {
    /// The settings of the HTTP/1 channel.
    public var http1: HTTP1Channel.Configuration

    /// The maximum number of bytes of a message, with all its fragments.
    ///
    /// A client that sends a larger one is closed with the code "message too large". A message may have up to 1,024 fragments.
    public var maximumMessageSize: Int

    /// The interval between the pings that the server sends, or `nil` for none.
    ///
    /// The connection is closed if nothing has been received between two pings, so that a client whose network has vanished
    /// doesn't stay forever.
    public var pingInterval: Duration?

    /// The time for the handshake that closes a socket, and for your handler to return after a shutdown has begun.
    ///
    /// Once it's over, the connection is closed. After a shutdown, your handler is cancelled too.
    public var closeTimeout: Duration

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - http1: The settings of the HTTP/1 channel.
    ///   - maximumMessageSize: The maximum number of bytes of a message. A number below one, or one that doesn't fit into 32
    ///     bits, stops the program with a message.
    ///   - pingInterval: The interval between the pings that the server sends, or `nil` for none.
    ///   - closeTimeout: The time for the handshake that closes a socket.
    public init(
      http1: HTTP1Channel.Configuration = .init(), maximumMessageSize: Int = 1 << 20,
      pingInterval: Duration? = .seconds(30),
      closeTimeout: Duration = .seconds(5)
    ) {
      precondition(
        (1...Int(UInt32.max)).contains(maximumMessageSize),
        "maximumMessageSize requires a number from 1 to \(UInt32.max), got \(maximumMessageSize).")
      self.http1 = http1
      self.maximumMessageSize = maximumMessageSize
      self.pingInterval = pingInterval
      self.closeTimeout = closeTimeout
    }
  }

  /// A channel whose first request decides what it becomes.
  public struct Value: ServerChildChannelValue {
    fileprivate enum Outcome: Sendable {
      /// The first request may have a response already.
      case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, Response?)
      case webSocket(
        NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, route: String, handler: WebSocketUpgrade.Handler)
    }

    public let channel: any Channel
    fileprivate let outcome: EventLoopFuture<Outcome>
  }

  typealias Decide = @Sendable (Request, any Channel, Logger) async -> WebSocketUpgrade.Decision

  /// The function that responds to requests that aren't upgraded.
  public private(set) var responder: Responder

  private let configuration: Configuration
  private let decide: Decide

  init(responder: @escaping Responder, configuration: Configuration, decide: @escaping Decide) {
    self.responder = responder
    self.configuration = configuration
    self.decide = decide
  }

  /// Sets up the pipeline, which awaits the first request.
  ///
  /// - Parameters:
  ///   - channel: The channel of a client.
  ///   - logger: The logger of the server.
  /// - Returns: A future with the channel, which has decided nothing yet.
  public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let first = FirstRequestHandler(idleTimeout: configuration.http1.idleTimeout) { [decide] request in
        await decide(request, channel, logger)
      }
      let boundFirst = NIOLoopBound(first, eventLoop: channel.eventLoop)
      let upgrader = NIOTypedWebSocketServerUpgrader<Value.Outcome>(
        maxFrameSize: configuration.maximumMessageSize, enableAutomaticErrorHandling: false
      ) { channel, _ in
        guard case .upgrade(_, let fields, _) = boundFirst.value.decision else {
          return channel.eventLoop.makeSucceededFuture(nil)
        }
        return channel.eventLoop.makeSucceededFuture(HTTPHeaders(fields))
      } upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          channel.pipeline.syncOperations.removeHandler(boundFirst.value, promise: nil)
          guard case .upgrade(let route, _, let handler) = boundFirst.value.decision else {
            throw ChannelError.inappropriateOperationForState
          }
          return .webSocket(try setUpWebSocket(channel), route: route, handler: handler)
        }
      }
      var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) { channel in
          channel.eventLoop.makeCompletedFuture {
            channel.pipeline.syncOperations.removeHandler(boundFirst.value, promise: nil)
            let response: Response? =
              if case .respond(let response) = boundFirst.value.decision { response } else { nil }
            return .http(try setUpHTTP(channel, logger), response)
          }
        })
      // As in Hummingbird's `HTTP1Channel`. Errors of the first request are handled here, those of later ones by Hummingbird.
      pipeline.enablePipelining = false
      pipeline.enableErrorHandling = true
      pipeline.enableResponseHeaderValidation = false
      pipeline.decoderConfiguration.maxHeaderFieldSize = configuration.http1.httpDecoder.maxHeaderFieldSize
      pipeline.decoderConfiguration.maxHeaderListSize = configuration.http1.httpDecoder.maxHeaderListSize
      pipeline.decoderConfiguration.maxHeaderFieldCount = configuration.http1.httpDecoder.maxHeaderFieldCount
      let outcome = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: pipeline)
      let upgradeHandler = try channel.pipeline.syncOperations.handler(
        type: NIOTypedHTTPServerUpgradeHandler<Value.Outcome>.self)
      try channel.pipeline.syncOperations.addHandler(first, position: .before(upgradeHandler))
      return Value(channel: channel, outcome: outcome)
    }
  }

  /// Handles the requests or the web socket of a channel, until it's closed.
  ///
  /// - Parameters:
  ///   - value: The channel.
  ///   - logger: The logger of the server.
  public func handle(value: Value, logger: Logger) async {
    do {
      let outcome = try await withTaskCancellationHandler {
        try await value.outcome.get()
      } onCancel: {
        value.channel.close(promise: nil)
      }
      switch outcome {
      case .http(let channel, let response):
        await responding(first: response).handleHTTP(asyncChannel: channel, logger: logger)
      case .webSocket(let channel, let route, let handler):
        try await channel.executeThenClose { inbound, outbound in
          let webSocket = WebSocket(route, channel: channel.channel, outbound: outbound)
          await WebSocketConversation(webSocket, closeTimeout: configuration.closeTimeout, logger: logger)
            .run(inbound, pingInterval: configuration.pingInterval, handler: handler)
        }
      }
    } catch {
      logger.trace("A channel has ended before its first request, or with an error: \(error)")
      value.channel.close(promise: nil)
    }
  }

  /// Answers the first request with a response that the web sockets' router has given.
  private func responding(first response: Response?) -> Self {
    guard let response else { return self }
    let first = Handover(response)
    var channel = self
    channel.responder = { [responder] request, writer, channel in
      guard let response = first.take() else { return try await responder(request, writer, channel) }
      try await writer.write(response: response.head, body: response.body)
    }
    return channel
  }

  private func setUpHTTP(
    _ channel: any Channel, _ logger: Logger
  ) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
    let pipeline = channel.pipeline.syncOperations
    // Hummingbird responds to what can't be parsed.
    pipeline.removeHandler(try pipeline.handler(type: HTTPServerProtocolErrorHandler.self), promise: nil)
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    try pipeline.addHandlers(configuration.http1.additionalChannelHandlers())
    try pipeline.addHandler(
      HTTPConnectionStateHandler(idleTimeout: configuration.http1.idleTimeout.map { Duration($0) }, logger: logger))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
  }

  private func setUpWebSocket(_ channel: any Channel) throws -> NIOAsyncChannel<WebSocketFrame, WebSocketFrame> {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(WebSocketFrameCheck())
    try pipeline.addHandler(
      NIOWebSocketFrameAggregator(
        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
        maxAccumulatedFrameSize: configuration.maximumMessageSize))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2)))
  }
}

/// Rejects frames that the decoder accepts for the sake of extensions, and those that a client hasn't masked.
private final class WebSocketFrameCheck: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if frame.reservedBits.isEmpty, frame.maskKey != nil {
      context.fireChannelRead(data)
    } else {
      context.fireErrorCaught(WebSocketClosed(code: .protocolError))
    }
  }
}
