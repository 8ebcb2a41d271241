import NIOCore

/// The request of a client that opens a web socket.
func webSocketOpening(_ path: String) -> ByteBuffer {
  ByteBuffer(
    string: """
      GET /\(path) HTTP/1.1\r
      host: localhost\r
      connection: upgrade\r
      upgrade: websocket\r
      sec-websocket-version: 13\r
      sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r
      \r

      """)
}
