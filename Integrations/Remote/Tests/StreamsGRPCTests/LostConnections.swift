import GRPCCore
import Synchronization

/// A client interceptor that loses the connection of each call after a number of messages.
struct LostConnections: ClientInterceptor {
  /// Returns the number of messages that the next call receives, or `nil` for a call that isn't lost. With 0, it isn't answered.
  let lives: @Sendable () -> Int?

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>, context: ClientContext,
    next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    guard let lives = lives() else { return try await next(request, context) }
    let lost = RPCError(code: .unavailable, message: "The connection is lost.")
    if lives == 0 { return StreamingClientResponse(error: lost) }
    var response = try await next(request, context)
    if case .success(var contents) = response.accepted {
      let left = Mutex(lives)
      contents.bodyParts = RPCAsyncSequence(
        wrapping: contents.bodyParts.map { part in
          try left.withLock { left in
            if left == 0 { throw lost }
            left -= 1
          }
          return part
        })
      response.accepted = .success(contents)
    }
    return response
  }
}
