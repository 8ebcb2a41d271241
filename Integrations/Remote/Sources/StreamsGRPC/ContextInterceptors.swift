public import GRPCCore
public import Instrumentation
internal import ServiceContextModule

/// A client interceptor that sends the context of the calling task along with each call.
///
/// The `ServiceContext` becomes metadata as the instrument says, such as `traceparent`. Registered task-locals follow.
///
/// ```swift
/// let client = GRPCClient(transport: transport, interceptors: [ContextClientInterceptor()])
/// ```
public struct ContextClientInterceptor: ClientInterceptor {
  private let locals: [PropagatedTaskLocal]
  private let instrument: (any Instrument)?

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - locals: The task-locals to send.
  ///   - instrument: The instrument that writes the service context. By default, it's the one with which the program has
  ///     bootstrapped `InstrumentationSystem`.
  public init(sending locals: [PropagatedTaskLocal] = [], instrument: (any Instrument)? = nil) {
    self.locals = locals
    self.instrument = instrument
  }

  public func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingClientRequest<Input>, context: ClientContext,
    next: (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<Output>
  ) async throws -> StreamingClientResponse<Output> {
    var request = request
    if let context = ServiceContext.current {
      (instrument ?? InstrumentationSystem.instrument).inject(context, into: &request.metadata, using: MetadataAccess())
    }
    for local in locals { local.add(to: &request.metadata) }
    return try await next(request, context)
  }
}

/// A server interceptor that runs each handler in the context that the client has sent.
///
/// The instrument reads the `ServiceContext`, such as from `traceparent`. A task-local is bound only if you accept it. The handler,
/// the publisher that it returns and the code that runs with its values have this context.
///
/// ```swift
/// let server = GRPCServer(transport: transport, services: services, interceptors: [ContextServerInterceptor()])
/// ```
public struct ContextServerInterceptor: ServerInterceptor {
  private let locals: [PropagatedTaskLocal]
  private let instrument: (any Instrument)?

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - locals: The task-locals to accept. There are none by default. All others that a client sends are ignored.
  ///   - instrument: The instrument that reads the service context. By default, it's the one with which the program has
  ///     bootstrapped `InstrumentationSystem`.
  public init(accepting locals: [PropagatedTaskLocal] = [], instrument: (any Instrument)? = nil) {
    self.locals = locals
    self.instrument = instrument
  }

  public func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>, context: ServerContext,
    next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    var received = ServiceContext.current ?? .topLevel
    (instrument ?? InstrumentationSystem.instrument).extract(request.metadata, into: &received, using: MetadataAccess())
    let bindings = locals.compactMap { $0.binding(in: request.metadata) }
    let accepted = received
    var response = try await run(accepted, bindings[...]) { try await next(request, context) }
    if case .success(var contents) = response.accepted {
      // The response is produced after the handler has returned.
      let producer = contents.producer
      contents.producer = { writer in try await run(accepted, bindings[...]) { try await producer(writer) } }
      response.accepted = .success(contents)
    }
    return response
  }
}

private func run<Result>(
  _ context: ServiceContext, _ bindings: ArraySlice<any TaskLocalBinding>, _ operation: () async throws -> Result
) async throws -> Result {
  guard let binding = bindings.first else { return try await ServiceContext.withValue(context, operation: operation) }
  return try await binding.run { try await run(context, bindings.dropFirst(), operation) }
}

/// Lets an instrument read and write metadata.
private struct MetadataAccess: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into metadata: inout Metadata) {
    metadata.replaceOrAddString(value, forKey: key)
  }

  func extract(key: String, from metadata: Metadata) -> String? {
    metadata[stringValues: key].first { _ in true }
  }
}
