import AsyncHTTPClient
import Hummingbird
import NIOCore
import NIOHTTP1
import StreamAlgorithms
import Streams
import StreamsHummingbird
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct RequestBodyPublisherTests {
  /// The parts of a large body, counted as the client takes them.
  private struct Upload: AsyncSequence, Sendable {
    let count: Int
    let taken: Counter

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: Int
      let taken: Counter

      mutating func next() async -> ByteBuffer? {
        guard rest > 0 else { return nil }
        rest -= 1
        taken.increment(by: 1 << 16)
        return ByteBuffer(repeating: 7, count: 1 << 16)
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: count, taken: taken) }
  }

  @Test func `an upload is taken from the client as it's requested`() async throws {
    let (signal, requesting) = AsyncStream<Void>.makeStream()
    let received = Counter()
    let router = Router()
    router.post("upload") { request, _ in
      var chunks = request.body.publisher
        .handleEvents(receiveOutput: { received.increment(by: $0.readableBytes) })
        .values.makeAsyncIterator()
      _ = try await chunks.next()
      for await _ in signal {}
      while try await chunks.next() != nil {}
      return "\(received.value)"
    }
    try await TestServer.run(router) { server in
      let upload = Upload(count: 1_024, taken: Counter())
      let size = upload.count << 16
      let response = Task {
        var request = HTTPClientRequest(url: server.url("upload"))
        request.method = .POST
        request.body = .stream(upload, length: .known(Int64(size)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        return String(buffer: try await response.body.collect(upTo: 1 << 10))
      }
      try await wait(for: "The first chunk has arrived.") { received.value > 0 }
      let first = received.value
      var before = 0
      repeat {
        before = upload.taken.value
        try await Task.sleep(for: .milliseconds(300))
      } while upload.taken.value != before
      print("of \(size) bytes, \(before) were taken from the client while the server had requested \(received.value)")
      // The system's buffers take some of them.
      #expect(before < 44 << 20 && received.value == first)
      requesting.finish()
      let text = try await response.value
      #expect(text == "\(size)")
    }
  }

  @Test func `a body can be derived from the request's body`() async throws {
    let router = Router()
    router.post("echo") { request, _ in
      Response(status: .ok, body: ResponseBody(request.body.publisher))
    }
    try await TestServer.run(router) { server in
      let upload = Upload(count: 256, taken: Counter())
      var request = HTTPClientRequest(url: server.url("echo"))
      request.method = .POST
      request.body = .stream(upload, length: .known(Int64(upload.count << 16)))
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      var count = 0
      for try await buffer in response.body { count += buffer.readableBytes }
      #expect(count == upload.count << 16)
    }
  }

  @Test func `a body of chunks ends with its publisher, and a client that leaves cancels it`() async throws {
    let lines = PassthroughSubject<String, Never>()
    let (subscriptions, cancellations) = (Counter(), Counter())
    let router = Router()
    router.get("log") { request, _ in
      let counted = lines.handleEvents(
        receiveSubscription: { _ in subscriptions.increment() }, receiveCancel: { cancellations.increment() })
      return Response(
        status: .ok,
        body: ResponseBody(counted.map { ByteBuffer(string: $0 + "\n") }, to: request, whenFull: .cancel))
    }
    router.get("numbers") { _, _ in
      Response(status: .ok, body: ResponseBody((1...1_000).publisher.map { ByteBuffer(string: "\($0)\n") }))
    }
    try await TestServer.run(router) { server in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.url("numbers")), timeout: .seconds(60))
      let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
      #expect(text == (1...1_000).map { "\($0)\n" }.joined())
      try await server.connect(sending: "GET /log HTTP/1.1\r\nHost: localhost\r\n\r\n") { client in
        try await wait(for: "It has subscribed.") { subscriptions.value == 1 }
        lines.send("started")
        try await client.read(until: "started\n")
        #expect(cancellations.value == 0)
      }
      try await wait(for: "The subscription is cancelled.") { cancellations.value == 1 }
    }
  }
}
