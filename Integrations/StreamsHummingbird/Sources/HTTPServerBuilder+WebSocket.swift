public import Hummingbird
public import HummingbirdCore
internal import Logging

extension HTTPServerBuilder {
  /// Creates a builder of a server for HTTP/1 whose connections can become web sockets.
  ///
  /// ```swift
  /// let router = Router()
  /// router.ws("prices") { webSocket, _ in
  ///   try await webSocket.send(prices.map { .text("\($0)") })
  /// }
  /// let application = Application(router: router, server: .http1WebSocketUpgrade(webSocketRouter: router))
  /// ```
  ///
  /// A request that asks for a web socket goes to the router that you pass. If it has no route for it, the application's router
  /// responds. You may pass the application's own router, or one for web sockets with another context. A client that uses another
  /// version of the protocol gets the status 426, one whose key is malformed the status 400.
  ///
  /// Only the first request of a connection can be upgraded. Clients open a connection for each web socket.
  ///
  /// - Parameters:
  ///   - webSocketRouter: The router with the routes of web sockets.
  ///   - configuration: The settings of the channels.
  /// - Returns: A builder to pass to an application.
  public static func http1WebSocketUpgrade<WebSocketRouter: HTTPResponderBuilder>(
    webSocketRouter: WebSocketRouter, configuration: HTTP1WebSocketChannel.Configuration = .init()
  ) -> HTTPServerBuilder
  where
    WebSocketRouter.Responder.Context: RequestContext,
    WebSocketRouter.Responder.Context.Source == ApplicationRequestContextSource
  {
    let webSocketResponder = webSocketRouter.buildResponder()
    return HTTPServerBuilder { responder in
      HTTP1WebSocketChannel(responder: responder, configuration: configuration) { request, channel, logger in
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        let context = WebSocketRouter.Responder.Context(
          source: ApplicationRequestContextSource(channel: channel, logger: logger))
        return await WebSocketUpgrade().decide {
          do {
            return try await webSocketResponder.respond(to: request, context: context)
          } catch {
            logger.debug("A route of a web socket has failed: \(error)")
            return Response(status: .internalServerError)
          }
        }
      }
    }
  }
}
