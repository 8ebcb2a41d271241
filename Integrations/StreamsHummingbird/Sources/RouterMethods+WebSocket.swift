public import HTTPTypes
public import Hummingbird
public import Logging
internal import ServiceContextModule

/// A route's answer to a request to open a web socket.
public enum RouterShouldUpgrade: Sendable {
  /// The request is answered as if there were no such route.
  case dontUpgrade

  /// The web socket is opened. The response has these header fields, such as a subprotocol.
  case upgrade(HTTPFields = [:])
}

/// What a web socket's handler knows of the request that has opened it.
public struct WebSocketRouterContext<Context: RequestContext>: Sendable {
  /// The request that has opened the web socket.
  public let request: Request

  /// The request's context, such as the parameters of the path, or what a middleware has added.
  public let requestContext: Context

  /// The logger of the request, with its ID.
  public var logger: Logger { requestContext.logger }
}

extension RouterMethods {
  /// Adds a route that opens web sockets.
  ///
  /// ```swift
  /// let router = Router()
  /// router.ws("rooms/{room}") { webSocket, context in
  ///   let room = try context.requestContext.parameters.require("room")
  ///   try await webSocket.send(messages(in: room))
  /// }
  /// let application = Application(router: router, server: .http1WebSocketUpgrade(webSocketRouter: router))
  /// ```
  ///
  /// The middleware that you have added before handles the request, so it can authenticate a user. If it throws an error, the client
  /// gets that response, and no web socket is opened. An ordinary request for the route gets the status 426.
  ///
  /// Any web page can open a web socket to your server with the cookies of its visitor. If cookies authenticate your users, check the
  /// header field `Origin` in a middleware or in `shouldUpgrade`.
  ///
  /// - Parameters:
  ///   - path: The path of the route.
  ///   - shouldUpgrade: A closure that decides. By default, each request opens a web socket.
  ///   - handler: A closure that uses the web socket, which is closed when the closure returns.
  /// - Returns: The router.
  @discardableResult
  public func ws(
    _ path: RouterPath = "",
    shouldUpgrade: @escaping @Sendable (Request, Context) async throws -> RouterShouldUpgrade = { _, _ in .upgrade() },
    onUpgrade handler: @escaping @Sendable (WebSocket, WebSocketRouterContext<Context>) async throws -> Void
  ) -> Self {
    get(path) { request, context -> Response in
      guard let upgrade = WebSocketUpgrade.current else {
        return Response(status: .upgradeRequired, headers: [.upgrade: "websocket", .connection: "upgrade"])
      }
      guard case .upgrade(let fields) = try await shouldUpgrade(request, context) else { throw HTTPError(.notFound) }
      // The handler runs in a task of the connection, which isn't that of the request.
      let serviceContext = ServiceContext.current
      upgrade.accept("\(request.method) \(context.endpointPath ?? path.description)") { webSocket in
        try await ServiceContext.$current.withValue(serviceContext) {
          try await handler(webSocket, WebSocketRouterContext(request: request, requestContext: context))
        }
      }
      return Response(status: .switchingProtocols, headers: fields)
    }
  }
}
