import AsyncHTTPClient
import Dispatch
import Hummingbird
import InMemoryLogging
import Logging
import NIOCore
import NIOHTTP1
import ServiceContextModule
import StreamAlgorithms
import Streams
import StreamsHummingbird
import StreamsObservability
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct RequestIDTests {
  @Test func `the ID of a request is in its context, its log, its response and what follows its values`() async throws {
    StreamContext.carryServiceContext()
    var handler = InMemoryLogHandler()
    handler.metadataProvider = .requestID
    let log = handler
    let logger = Logger(label: "orders") { _ in log }
    let orders = PassthroughSubject<String, Never>()
    let stored = Collected<String>()
    let queue = DispatchQueue(label: "orders")
    let stream = orders.receive(on: queue, bounded: 1_000, whenFull: .cancel)
      .map(maxTasks: 4) { order in
        logger.info("\(order)")
        return "\(order) \(ServiceContext.current?.requestID ?? "-")"
      }
      .sink(isolation: nil) { stored.append($0) }

    let router = Router(context: ChannelContext.self)
    router.add(middleware: RequestIDMiddleware())
    router.post("orders/{order}") { request, context in
      orders.send(try context.parameters.require("order"))
      return "\(context.logger[metadataKey: "request-id"] ?? "-")"
    }
    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      func post(_ path: String, _ id: String?) async throws -> (id: String, text: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
        request.method = .POST
        if let id { request.headers.add(name: "X-Request-ID", value: id) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 1_000))
        return (response.headers.first(name: "X-Request-ID") ?? "-", text)
      }
      let named = try await post("orders/a", "client-1:2.3_4")
      #expect(named.id == "client-1:2.3_4" && named.text == named.id)
      for unacceptable in ["", "a b", "é", String(repeating: "a", count: 65), "<script>"] {
        let response = try await post("orders/b", unacceptable)
        #expect(response.id != unacceptable && response.id.count > 3 && response.text == response.id)
      }
      let unnamed = try await post("orders/c", nil)
      let missing = try await post("nothing", "client-5")
      #expect(missing.id == "client-5")
      try await wait(for: "all orders are stored") { stored.count == 7 }
      #expect(stored.values.contains("a client-1:2.3_4") && stored.values.contains("c \(unnamed.id)"))
    }
    #expect(log.entries.first { $0.message == "a" }?.metadata["request-id"] == "client-1:2.3_4")
    stream.cancel()
  }
}
