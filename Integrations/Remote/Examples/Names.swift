// What the code of the articles about machines and brokers uses without declaring it. `Examples/check` compiles it with this file.

import Dispatch
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsGRPC
import SwiftProtobuf

// A `…` in a block.
func elided() {}
@_disfavoredOverload func elided<Value>() -> Value { fatalError() }

typealias Order = Google_Protobuf_Int64Value
typealias Reading = Google_Protobuf_DoubleValue
typealias Price = Int
struct Symbol: Sendable {}
struct Message: Sendable { var offset = 0, number = 0 }
enum Tenant { @TaskLocal static var name = "" }

let symbol = Symbol()
let queue = DispatchQueue(label: "examples")
let targets = ["10.0.0.1", "10.0.0.2"]
let first = 1
let services: [any RegistrableRPCService] = []
let ticks = PassthroughSubject<Order, Never>()
let messages = PassthroughSubject<Message, Never>()
nonisolated(unsafe) var config = HTTP2ClientTransport.Posix.Config.defaults

func prices(of symbol: Symbol) -> some Publisher<Price, Never> & SendableMetatype { [1].publisher }
func partition(of target: String) -> AnySendablePublisher<Reading, RPCError> { elided() }
func show(_ price: Price) {}
func store(_ message: Message) async throws {}

let stub = Stub()
struct Stub: Sendable {
  func watch(
    _ symbol: Symbol, onResponse: @escaping @Sendable (StreamingClientResponse<Price>) async throws -> Void
  ) async throws {}
}

let log = Log()
struct Log: Sendable {
  let identity = ""
  func orders(after index: UInt64) throws -> AnyPublisher<Order, Never> { elided() }
}

let store = Store()
struct Store: Sendable {
  let lastIndex: UInt64 = 0
  let source = ""
  func book(_ order: Order, index: UInt64) async throws {}
}

let logger = Logger()
struct Logger: Sendable { func warning(_ message: String) {} }

let tokens = Tokens()
struct Tokens: Sendable { func subject(of metadata: Metadata) throws -> String { elided() } }

let streams = ResumableStreams()
let consumer = Consumer()
struct Consumer: Sendable {
  let messages = AsyncStream<Message> { _ in }
  func commit(upTo offset: Int) {}
}

let target = CommittedOffset(consumer: consumer)
struct CommittedOffset: AcknowledgementTarget {
  let consumer: Consumer
  func acknowledge(_ index: Int) {}
}

let client = GRPCClient(transport: transport)
let transport = Transport()
struct Transport: ClientTransport, ServerTransport {
  typealias Bytes = [UInt8]
  typealias Request = RPCRequestPart<Bytes>
  typealias Response = RPCResponsePart<Bytes>
  let retryThrottle: RetryThrottle? = nil
  func connect() async throws {}
  func beginGracefulShutdown() {}
  func withStream<Result: Sendable>(
    descriptor: MethodDescriptor, options: CallOptions,
    _ closure: (
      RPCStream<RPCAsyncSequence<Response, any Error>, RPCWriter<Request>.Closable>, ClientContext
    ) async throws -> Result
  ) async throws -> Result { elided() }
  func config(forMethod descriptor: MethodDescriptor) -> MethodConfig? { nil }
  func listen(
    streamHandler:
      @escaping @Sendable (
        RPCStream<RPCAsyncSequence<Request, any Error>, RPCWriter<Response>.Closable>, ServerContext
      ) async -> Void
  ) async throws {}
}
