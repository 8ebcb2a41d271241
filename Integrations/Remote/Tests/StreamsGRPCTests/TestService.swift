import GRPCCore
import StreamsGRPC

/// A service whose methods are closures.
struct TestService: RegistrableRPCService {
  typealias Handler =
    @Sendable (StreamingServerRequest<[UInt8]>, ServerContext) async throws -> StreamingServerResponse<[UInt8]>

  let handlers: [String: Handler]

  init(_ handlers: [String: Handler]) { self.handlers = handlers }

  static func method(_ name: String) -> MethodDescriptor {
    MethodDescriptor(fullyQualifiedService: "test.Test", method: name)
  }

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    for (name, handler) in handlers {
      router.registerHandler(
        forMethod: Self.method(name), deserializer: BytesCoder(), serializer: BytesCoder(), handler: handler)
    }
  }
}

extension GRPCClient {
  /// A publisher of the messages of a method of the test service.
  func messages(
    of name: String, _ request: StreamingClientRequest<[UInt8]> = StreamingClientRequest { try await $0.write([]) },
    options: CallOptions = .defaults
  ) -> RPCPublisher<[UInt8]> {
    RPCPublisher { receive in
      try await self.bidirectionalStreaming(
        request: request, descriptor: TestService.method(name), serializer: BytesCoder(), deserializer: BytesCoder(),
        options: options, onResponse: receive)
    }
  }
}
