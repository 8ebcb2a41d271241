internal import GRPCCore

/// Runs a closure in a task that ends with the call.
///
/// gRPC doesn't cancel the task of a handler with its call, so a handler that waits for a value would go on waiting, and its server
/// would never stop.
///
/// - Parameter body: A closure. It must end when its task is cancelled.
/// - Throws: The error of the closure. If the call has ended before, an error with the code `unavailable`.
func endingWithCall(_ body: @escaping @Sendable () async throws -> Void) async throws {
  let work = Task {
    try await body()
    try Task.checkCancellation()
  }
  do {
    try await withRPCCancellationHandler {
      try await withTaskCancellationHandler {
        try await work.value
      } onCancel: {
        work.cancel()
      }
    } onCancelRPC: {
      work.cancel()
    }
  } catch  where work.isCancelled {
    // If the client has cancelled the call, nobody reads this. Otherwise the server is about to stop.
    throw RPCError(code: .unavailable, message: "The server has ended the call, because it's stopping.")
  }
}
