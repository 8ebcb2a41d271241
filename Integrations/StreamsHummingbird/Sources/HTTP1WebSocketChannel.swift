public import HTTPTypes
public import HummingbirdCore
public import Logging
public import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket

/// A channel of a server that upgrades to a web socket or handles ordinary HTTP/1 requests.
///
/// You get one from `HTTPServerBuilder.http1WebSocket(configuration:shouldUpgrade:handler:)`.
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
      case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
      case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, HTTPRequest)
    }

    public let channel: any Channel
    fileprivate let outcome: EventLoopFuture<Outcome>
  }

  /// The function that responds to requests that aren't upgraded.
  public let responder: Responder

  private let configuration: Configuration
  private let shouldUpgrade: @Sendable (HTTPRequest) async throws -> HTTPFields?
  private let handler: @Sendable (WebSocket) async throws -> Void

  /// Creates a channel.
  ///
  /// - Parameters:
  ///   - responder: The function that responds to requests that aren't upgraded.
  ///   - configuration: The settings of the channel.
  ///   - shouldUpgrade: A closure that returns header fields for the response if a request should be upgraded, otherwise `nil`.
  ///   - handler: A closure that uses the web socket.
  public init(
    responder: @escaping Responder, configuration: Configuration = .init(),
    shouldUpgrade: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields?,
    handler: @escaping @Sendable (WebSocket) async throws -> Void
  ) {
    self.responder = responder
    self.configuration = configuration
    self.shouldUpgrade = shouldUpgrade
    self.handler = handler
  }

  /// Sets up the pipeline, which awaits the first request.
  ///
  /// - Parameters:
  ///   - channel: The channel of a client.
  ///   - logger: The logger of the server.
  /// - Returns: A future with the channel, which has decided nothing yet.
  public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let first = FirstRequestHandler(idleTimeout: configuration.http1.idleTimeout, shouldUpgrade: shouldUpgrade)
      let boundFirst = NIOLoopBound(first, eventLoop: channel.eventLoop)
      let upgrader = NIOTypedWebSocketServerUpgrader<Value.Outcome>(
        maxFrameSize: configuration.maximumMessageSize, enableAutomaticErrorHandling: false
      ) { channel, _ in
        channel.eventLoop.makeSucceededFuture(boundFirst.value.upgrade.map { HTTPHeaders($0.fields) })
      } upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          channel.pipeline.syncOperations.removeHandler(boundFirst.value, promise: nil)
          guard let upgrade = boundFirst.value.upgrade else { throw ChannelError.inappropriateOperationForState }
          return .webSocket(try setUpWebSocket(channel), upgrade.request)
        }
      }
      var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) { channel in
          channel.eventLoop.makeCompletedFuture {
            channel.pipeline.syncOperations.removeHandler(boundFirst.value, promise: nil)
            return .http(try setUpHTTP(channel, logger))
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
      case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
      case .webSocket(let channel, let request):
        try await channel.executeThenClose { inbound, outbound in
          let webSocket = WebSocket(request: request, channel: channel.channel, outbound: outbound)
          await WebSocketConversation(webSocket, closeTimeout: configuration.closeTimeout, logger: logger)
            .run(inbound, pingInterval: configuration.pingInterval, handler: handler)
        }
      }
    } catch {
      logger.trace("A channel has ended before its first request, or with an error: \(error)")
      value.channel.close(promise: nil)
    }
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
