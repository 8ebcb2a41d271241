public import GRPCCore
public import StreamAlgorithms
internal import Streams

extension StreamingServerRequest {
  /// Creates a publisher of the messages that the client sends.
  ///
  /// ```swift
  /// func record(
  ///   request: StreamingServerRequest<Reading>, context: ServerContext
  /// ) async throws -> ServerResponse<Summary> {
  ///   let count = try await request.publisher(in: context).count().values.first { _ in true }
  ///   return ServerResponse(message: Summary(count: count ?? 0))
  /// }
  /// ```
  ///
  /// A message is taken from the transport when it's requested, and one in advance. The stream finishes when the client has sent
  /// its last message, and fails with `unavailable` when the call ends before, even if the client sends nothing. So a handler that
  /// waits for it ends with its call. Cancelling it doesn't end the call. The messages have one reader, so subscribe once.
  ///
  /// - Parameter context: The context of the call, which your handler gets.
  /// - Returns: A publisher of the messages.
  public func publisher(in context: ServerContext) -> AnySendablePublisher<Message, RPCError> {
    RPCPublisher<Message>(whenRequested: nil) { [messages] subscription in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for try await message in messages { try await subscription.deliver(message) }
        }
        group.addTask {
          try await context.cancellation.cancelled
          throw RPCError(code: .unavailable, message: "The call ended before its last message.")
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }.eraseToAnySendablePublisher()
  }
}
