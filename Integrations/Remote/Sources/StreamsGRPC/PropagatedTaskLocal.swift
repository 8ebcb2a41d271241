internal import GRPCCore

/// A task-local that calls carry from clients to servers.
///
/// Client and server register it with the same key:
///
/// ```swift
/// enum Tenant { @TaskLocal static var name = "" }
///
/// let tenant = PropagatedTaskLocal(Tenant.$name, key: "tenant", limit: 64) { Array($0.utf8) } decode: { bytes in
///   String(validating: bytes, as: UTF8.self)
/// }
/// let client = GRPCClient(transport: transport, interceptors: [ContextClientInterceptor(sending: [tenant])])
/// let server = GRPCServer(
///   transport: transport, services: services, interceptors: [ContextServerInterceptor(accepting: [tenant])])
/// ```
///
/// The value is sent as binary metadata under `streams-context-tenant-bin`. Any client can send any value. Don't base a permission
/// on it unless you trust the client.
public struct PropagatedTaskLocal: Sendable {
  /// The key under which the value is sent.
  public let key: String
  /// The maximum size of an encoded value, in bytes.
  public let limit: Int

  /// Returns the encoded value of the calling task.
  let encoded: @Sendable () -> [UInt8]?
  /// Returns the binding of an encoded value.
  let decoded: @Sendable ([UInt8]) -> (any TaskLocalBinding)?

  /// Registers a task-local.
  ///
  /// - Parameters:
  ///   - local: The task-local.
  ///   - key: The key under which the value is sent. It may have lowercase letters, digits and hyphens. Any other character stops
  ///     the program with a message.
  ///   - limit: The maximum size of an encoded value, in bytes. A client doesn't send a larger one, and a server ignores it.
  ///   - encode: A closure that encodes a value. If it returns `nil`, nothing is sent.
  ///   - decode: A closure that decodes a value. If it returns `nil`, the server keeps its own value.
  public init<Value: Sendable>(
    _ local: TaskLocal<Value>, key: String, limit: Int, encode: @escaping @Sendable (Value) -> [UInt8]?,
    decode: @escaping @Sendable ([UInt8]) -> Value?
  ) {
    let isValid = key.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
    precondition(
      isValid && !key.isEmpty,
      "The key of a PropagatedTaskLocal may have lowercase letters, digits and hyphens, got \"\(key)\".")
    self.key = key
    self.limit = limit
    encoded = { encode(local.get()) }
    decoded = { decode($0).map { BoundTaskLocal(local: local, value: $0) } }
  }

  /// The name of the metadata.
  private var name: String { "streams-context-\(key)-bin" }

  func add(to metadata: inout Metadata) {
    guard let bytes = encoded(), bytes.count <= limit else { return }
    metadata.replaceOrAddBinary(bytes, forKey: name)
  }

  func binding(in metadata: Metadata) -> (any TaskLocalBinding)? {
    guard let bytes = metadata[binaryValues: name].first(where: { _ in true }), bytes.count <= limit else { return nil }
    return decoded(bytes)
  }
}

/// A task-local with the value that a client has sent.
protocol TaskLocalBinding: Sendable {
  func run<Result>(_ operation: () async throws -> Result) async throws -> Result
}

private struct BoundTaskLocal<Value: Sendable>: TaskLocalBinding {
  let local: TaskLocal<Value>
  let value: Value

  func run<Result>(_ operation: () async throws -> Result) async throws -> Result {
    try await local.withValue(value) { try await operation() }
  }
}
