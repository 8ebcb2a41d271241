package import HummingbirdCore

extension RequestBody {
  /// Runs an operation, and calls a closure if the client leaves meanwhile. What's left of the body is dropped.
  ///
  /// Hummingbird hands the rest of the body on through a stream. Nobody reads it here. Without an end, a rest that's larger than
  /// the stream's bound would hide that the client leaves. And if the body has been read to its end before, NIO stops the program
  /// once the client leaves, because nobody ends the stream. An iterator that's dropped ends it.
  package func droppingRest(
    _ operation: () async throws -> Void, onInboundClosed: @escaping @Sendable () -> Void
  ) async throws {
    try await consumeWithInboundCloseHandler { rest in
      _ = rest.makeAsyncIterator()
      try await operation()
    } onInboundClosed: {
      onInboundClosed()
    }
  }
}
