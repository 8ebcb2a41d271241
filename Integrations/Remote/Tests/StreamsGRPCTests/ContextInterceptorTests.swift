import GRPCCore
import GRPCInProcessTransport
import Instrumentation
import ServiceContextModule
import StreamAlgorithms
import Streams
import StreamsGRPC
import Testing

private enum Tenant {
  @TaskLocal static var name = "none"
  @TaskLocal static var secret = "none"
}

private enum TraceKey: ServiceContextKey { typealias Value = String }

/// Carries a trace as `traceparent`.
private struct TestInstrument: Instrument {
  func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
  where Inject.Carrier == Carrier {
    if let trace = context[TraceKey.self] { injector.inject(trace, forKey: "traceparent", into: &carrier) }
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  )
  where Extract.Carrier == Carrier {
    context[TraceKey.self] = extractor.extract(key: "traceparent", from: carrier)
  }
}

@Suite(.timeLimit(.minutes(1)))
struct ContextInterceptorTests {
  private static let tenant = PropagatedTaskLocal(Tenant.$name, key: "tenant", limit: 8) {
    $0 == "none" ? nil : Array($0.utf8)
  } decode: {
    String(validating: $0, as: UTF8.self)
  }
  private static let secret = PropagatedTaskLocal(Tenant.$secret, key: "secret", limit: 8) {
    Array($0.utf8)
  } decode: {
    String(validating: $0, as: UTF8.self)
  }

  /// Returns what a handler and its publisher see.
  private func seen(
    accepting accepted: [PropagatedTaskLocal], sending sent: [PropagatedTaskLocal] = [tenant, secret],
    metadata: Metadata = [:], _ body: (@Sendable () async throws -> [UInt8]?) async throws -> [UInt8]?
  ) async throws -> String {
    let transport = InProcessTransport()
    let text = { @Sendable () -> String in
      "\(Tenant.name) \(Tenant.secret) \(ServiceContext.current?[TraceKey.self] ?? "none")"
    }
    let service = TestService([
      "context": { _, _ in
        let handler = text()
        return StreamingServerResponse { Deferred { Just(Array("\(handler), \(text())".utf8)) } }
      }
    ])
    return try await withGRPCServer(
      transport: transport.server, services: [service],
      interceptors: [ContextServerInterceptor(accepting: accepted, instrument: TestInstrument())]
    ) { _ in
      try await withGRPCClient(
        transport: transport.client,
        interceptors: [ContextClientInterceptor(sending: sent, instrument: TestInstrument())]
      ) { client in
        let request = StreamingClientRequest<[UInt8]>(metadata: metadata) { try await $0.write([]) }
        let bytes = try await body { try await client.messages(of: "context", request).values.first { _ in true } }
        return String(decoding: bytes ?? [], as: UTF8.self)
      }
    }
  }

  @Test func `a handler and its publisher have the trace and the accepted task-locals of the subscriber`() async throws
  {
    let seen = try await seen(accepting: [Self.tenant]) { call in
      var context = ServiceContext.topLevel
      context[TraceKey.self] = "00-trace"
      return try await ServiceContext.withValue(context) {
        try await Tenant.$name.withValue("acme") { try await Tenant.$secret.withValue("key") { try await call() } }
      }
    }
    #expect(seen == "acme none 00-trace, acme none 00-trace")
  }

  @Test func `a server accepts no task-local by default`() async throws {
    let seen = try await seen(accepting: []) { call in try await Tenant.$name.withValue("acme") { try await call() } }
    #expect(seen == "none none none, none none none")
  }

  @Test func `a value beyond the limit isn't sent, and a server ignores one`() async throws {
    let sent = try await seen(accepting: [Self.tenant]) { call in
      try await Tenant.$name.withValue("too long for it") { try await call() }
    }
    #expect(sent == "none none none, none none none")

    var metadata = Metadata()
    metadata.addBinary(Array("too long for it".utf8), forKey: "streams-context-tenant-bin")
    let received = try await seen(accepting: [Self.tenant], sending: [], metadata: metadata) { try await $0() }
    #expect(received == "none none none, none none none")

    var short = Metadata()
    short.addBinary(Array("short".utf8), forKey: "streams-context-tenant-bin")
    let accepted = try await seen(accepting: [Self.tenant], sending: [], metadata: short) { try await $0() }
    #expect(accepted == "short none none, short none none")
  }

  @Test func `bytes that can't be decoded are ignored`() async throws {
    var metadata = Metadata()
    metadata.addBinary([0xff, 0xfe], forKey: "streams-context-tenant-bin")
    let seen = try await seen(accepting: [Self.tenant], sending: [], metadata: metadata) { try await $0() }
    #expect(seen == "none none none, none none none")
  }

  @Test func `a key with other characters stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = PropagatedTaskLocal(Tenant.$name, key: "Tenant", limit: 8) {
        Array($0.utf8)
      } decode: {
        String(decoding: $0, as: UTF8.self)
      }
    }
  }
}
