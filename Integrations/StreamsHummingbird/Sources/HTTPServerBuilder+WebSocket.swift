public import HTTPTypes
public import HummingbirdCore

extension HTTPServerBuilder {
  /// Creates a builder of a server for HTTP/1 whose connections can become web sockets.
  ///
  /// ```swift
  /// let application = Application(
  ///   router: router,
  ///   server: .http1WebSocket { request in
  ///     request.path == "/prices" ? [:] : nil
  ///   } handler: { webSocket in
  ///     try await webSocket.send(prices.map { .text("\($0)") })
  ///   })
  /// ```
  ///
  /// If a request asks for a web socket, `shouldUpgrade` decides. If it returns header fields, they're added to the response.
  /// That's how you choose a subprotocol. If it returns `nil` or throws, the router responds as to any other request, which then
  /// lacks the header field `Upgrade`. Only the first request of a connection can be upgraded. Clients open a connection for
  /// each web socket.
  ///
  /// Any web page can open a web socket to your server with the cookies of its visitor. If cookies authenticate your users,
  /// check the header field `Origin` in `shouldUpgrade`.
  ///
  /// - Parameters:
  ///   - configuration: The settings of the channels.
  ///   - shouldUpgrade: A closure that returns header fields for the response if a request should be upgraded, otherwise `nil`.
  ///   - handler: A closure that uses the web socket, which is closed when the closure returns.
  /// - Returns: A builder to pass to an application.
  public static func http1WebSocket(
    configuration: HTTP1WebSocketChannel.Configuration = .init(),
    shouldUpgrade: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields?,
    handler: @escaping @Sendable (WebSocket) async throws -> Void
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      HTTP1WebSocketChannel(
        responder: responder, configuration: configuration, shouldUpgrade: shouldUpgrade, handler: handler)
    }
  }
}
