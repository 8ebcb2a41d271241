public import NIOCore

/// A complete message of a web socket, whose fragments have been joined.
public enum WebSocketMessage: Sendable, Hashable {
  /// A text, which was valid UTF-8.
  case text(String)

  /// Bytes.
  case binary(ByteBuffer)

  var size: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.readableBytes
    }
  }
}
