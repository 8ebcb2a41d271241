public import GRPCCore

/// Runs a closure with a client, and stops the client within an interval.
///
/// ```swift
/// try await withGRPCClient(transport: transport, stoppingWithin: .seconds(5)) { client in … }
/// ```
///
/// After the closure, gRPC's function of this name waits until all connections are closed. If a peer accepts connections and doesn't
/// answer any more, it waits forever. This one gives the connections up after the interval.
///
/// - Parameters:
///   - transport: The transport of the client.
///   - interceptors: The interceptors of the client.
///   - interval: How long open calls may go on after the closure, and connections may take to close.
///   - isolation: The actor on which the closure runs. By default, it's the caller's.
///   - body: A closure that uses the client.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func withGRPCClient<Transport: ClientTransport, Result: Sendable>(
  transport: Transport, interceptors: [any ClientInterceptor] = [], stoppingWithin interval: Duration,
  isolation: isolated (any Actor)? = #isolation, _ body: (GRPCClient<Transport>) async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Void.self) { group in
    let client = GRPCClient(transport: transport, interceptors: interceptors)
    group.addTask { try await client.runConnections() }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    client.beginGracefulShutdown()
    group.addTask { try await Task.sleep(for: interval) }
    // Either of them ends the other.
    try? await group.next()
    group.cancelAll()
    return try result.get()
  }
}
