internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// A request to open a web socket, for which a route is looked for.
final class WebSocketUpgrade: Sendable {
  typealias Handler = @Sendable (WebSocket) async throws -> Void

  /// What becomes of a request to open a web socket.
  enum Decision: Sendable {
    case upgrade(route: String, fields: HTTPFields, handler: Handler)
    /// The response is sent, and the connection goes on as one of HTTP.
    case respond(Response)
    /// No route has been found, so the server's responder answers.
    case pass
  }

  /// The upgrade that the current task decides on, or `nil` for an ordinary request.
  @TaskLocal static var current: WebSocketUpgrade?

  private let acceptance = Mutex<(route: String, handler: Handler)?>(nil)

  /// Accepts the upgrade. The response's header fields are those of the upgrade.
  func accept(_ route: String, handler: @escaping Handler) { acceptance.withLock { $0 = (route, handler) } }

  /// Lets a router's responder decide.
  func decide(_ respond: () async -> Response) async -> Decision {
    let response = await Self.$current.withValue(self, operation: respond)
    if let (route, handler) = acceptance.withLock({ $0 }), response.status == .switchingProtocols {
      return .upgrade(route: route, fields: response.headers, handler: handler)
    }
    return response.status == .notFound ? .pass : .respond(response)
  }
}
