public import NIOWebSocket

/// The end of a web socket.
///
/// `send` throws it once the socket has ended. If your handler throws one, its code and reason are sent to the client.
public struct WebSocketClosed: Error, Equatable {
  /// The code of the close frame, or `nil` if the connection ended without one.
  public let code: WebSocketErrorCode?

  /// The text of the close frame. At most 123 bytes of it are sent.
  public let reason: String

  /// The end of a web socket that was cut because its client had left too much unread.
  ///
  /// ```swift
  /// do {
  ///   try await webSocket.send(messages)
  /// } catch let closure as WebSocketClosed where closure == .unread {
  ///   cuts.increment()
  /// }
  /// ```
  public static let unread = Self(code: nil, reason: "The client didn't read.")

  /// Creates an error that ends a web socket when your handler throws it.
  ///
  /// - Parameters:
  ///   - code: The code of the close frame.
  ///   - reason: The text of the close frame.
  public init(code: WebSocketErrorCode?, reason: String = "") {
    self.code = code
    self.reason = reason
  }
}
