import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import NIOPosix
import StreamAlgorithms
import Streams
import StreamsHummingbird
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct ResponseServerSentEventsTests {
  private let prices = PassthroughSubject<Int, Never>()
  private let cancellations = Counter()
  private let subscriptions = Counter()

  /// The prices, with their subscriptions and cancellations counted.
  private static func counted(
    _ prices: PassthroughSubject<Int, Never>, _ subscriptions: Counter, _ cancellations: Counter
  ) -> sending Publishers.HandleEvents<PassthroughSubject<Int, Never>> {
    prices.handleEvents(
      receiveSubscription: { _ in subscriptions.increment() }, receiveCancel: { cancellations.increment() })
  }

  private func text(of request: HTTPClientRequest) async throws -> String {
    String(buffer: try await HTTPClient.shared.execute(request, timeout: .seconds(60)).body.collect(upTo: 1 << 20))
  }

  private static func get(_ path: String) -> String { "GET /\(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

  @Test func `values arrive in order, none is missed after the head, and the body ends with the publisher`()
    async throws
  {
    let router = Router()
    let prices = PassthroughSubject<Double, Never>()
    router.get("prices") { request, _ in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.url("prices")), timeout: .seconds(60))
      #expect(response.headers["content-type"] == ["text/event-stream"])
      #expect(response.headers["cache-control"] == ["no-cache"])
      for price in 1...50 { prices.send(Double(price)) }
      prices.send(completion: .finished)
      #expect(
        String(buffer: try await response.body.collect(upTo: 1 << 20))
          == (1...50).map { "data: \(Double($0))\n\n" }.joined())
    }
  }

  @Test func `a client that leaves an idle stream cancels its subscription`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") },
        keepAlive: nil)
    }
    try await TestServer.run(router) { server in
      try await server.connect(sending: Self.get("prices")) { client in
        try await client.read(until: "text/event-stream")
        #expect(subscriptions.value == 1 && cancellations.value == 0)
      }
      try await wait(for: "The subscription is cancelled.") { cancellations.value == 1 }
    }
  }

  @Test func `a stalled client is cut off at the bound and another one receives everything`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let text = String(repeating: "x", count: 1 << 16)
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request,
        Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: text, id: "\($0)") },
        bounded: 8, whenFull: .cancel)
    }
    try await TestServer.run(router) { server in
      try await server.connect(sending: Self.get("prices")) { stalled in
        try await wait(for: "The stalled client has subscribed.") { subscriptions.value == 1 }
        let received = Counter()
        let response = try await HTTPClient.shared.execute(
          HTTPClientRequest(url: server.url("prices")), timeout: .seconds(60))
        let reading = Task {
          for try await buffer in response.body { received.increment(by: buffer.readableBytes) }
        }
        var sent = 0
        var bytes = 0
        while cancellations.value == 0, sent < 10_000 {
          sent += 1
          bytes += ServerSentEvent(data: text, id: "\(sent)").encoded().readableBytes
          prices.send(sent)
          try await wait(for: "The other client receives it.") { [bytes] in received.value == bytes }
        }
        #expect(cancellations.value == 1)
        print(
          "a client that reads nothing was cut off after \(sent) events of 64 KB; the other received \(received.value) bytes"
        )
        prices.send(completion: .finished)
        try await reading.value
        #expect(received.value == bytes)
        // Its connection is closed too, so that what it reads now ends early.
        var text = ""
        do {
          for try await buffer in stalled.inbound { text = String(buffer: buffer) }
        } catch is IOError {}
        #expect(!text.hasSuffix("0\r\n\r\n"))
      }
    }
  }

  @Test(arguments: [
    UnreadLimit(bytes: 1 << 20, time: .seconds(3_600)), UnreadLimit(bytes: .max, time: .milliseconds(100)),
  ])
  func `a client that doesn't read is cut off`(limit: UnreadLimit) async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let text = String(repeating: "x", count: 1 << 16)
    let router = Router()
    router.get("events") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { _ in ServerSentEvent(data: text) },
        unread: limit)
    }
    router.get("body") { request, _ in
      let chunks = Self.counted(prices, subscriptions, cancellations).map { _ in ByteBuffer(string: text) }
      return Response(status: .ok, body: ResponseBody(chunks, to: request, unread: limit))
    }
    try await TestServer.run(router) { server in
      for (count, path) in ["events", "body"].enumerated() {
        try await server.connect(sending: Self.get(path)) { _ in
          try await wait(for: "The client has subscribed.") { subscriptions.value == count + 1 }
          try await wait(for: "It's cut off.") {
            prices.send(1)
            return cancellations.value == count + 1
          }
        }
      }
    }
  }

  @Test func `a client that doesn't read is found with a keep-alive, if nothing is sent any more`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let text = String(repeating: "x", count: 1 << 16)
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { _ in ServerSentEvent(data: text) },
        unread: UnreadLimit(bytes: .max, time: .milliseconds(100)), keepAlive: .milliseconds(20))
    }
    try await TestServer.run(router) { server in
      try await server.connect(sending: Self.get("prices")) { _ in
        try await wait(for: "The client has subscribed.") { subscriptions.value == 1 }
        // More than the system's buffers hold.
        for price in 1...1_000 { prices.send(price) }
        try await wait(for: "It's cut off.") { cancellations.value == 1 }
      }
    }
  }

  @Test func `a client that reads isn't cut for a burst`() async throws {
    let router = Router()
    router.get("numbers") { request, _ in
      Response.serverSentEvents(to: request, (1...1_000).publisher.map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      let text = try await text(of: HTTPClientRequest(url: server.url("numbers")))
      #expect(text == (1...1_000).map { "data: \($0)\n\n" }.joined())
    }
  }

  @Test func `a graceful shutdown lets waiting events through and ends open streams`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.url("prices")), timeout: .seconds(60))
      for price in 1...20 { prices.send(price) }
      await server.shutDown()
      #expect(
        String(buffer: try await response.body.collect(upTo: 1 << 20))
          == (1...20).map { "data: \($0)\n\n" }.joined())
      #expect(cancellations.value == 1)
    }
  }

  @Test func `a shutdown doesn't wait for a client that doesn't read`() async throws {
    let text = String(repeating: "x", count: 1 << 16)
    let requested = Counter()
    let router = Router()
    router.get("prices") { request, _ in
      let endless = (1...).publisher.handleEvents(receiveOutput: { _ in requested.increment() })
      return Response.serverSentEvents(
        to: request, endless.map { ServerSentEvent(data: text, id: "\($0)") }, bounded: 4, whenFull: .wait,
        drainInterval: .milliseconds(50))
    }
    try await TestServer.run(router) { server in
      try await server.connect(sending: Self.get("prices")) { stalled in
        var count = 0
        // As long as the system's buffers take more, the number grows.
        repeat {
          count = requested.value
          try await Task.sleep(for: .milliseconds(300))
        } while requested.value != count || count == 0
        await server.shutDown()
        try await wait(for: "The connection is closed.") {
          (try? await stalled.outbound.write(ByteBuffer(string: "\r\n"))) == nil
        }
      }
    }
  }

  @Test func `a publisher that waits for demand is as slow as its client`() async throws {
    let requested = Counter()
    let text = String(repeating: "x", count: 1 << 16)
    let router = Router(context: ChannelContext.self)
    let count = 1_000
    router.get("numbers") { request, context in
      let numbers = (1...count).publisher.handleEvents(receiveOutput: { _ in requested.increment() })
      return Response.serverSentEvents(
        to: request, numbers.map { ServerSentEvent(data: text, id: "\($0)") }, bounded: 4, whenFull: .wait,
        context: context)
    }
    try await TestServer.run(router) { server in
      try await server.connect(sending: Self.get("numbers")) { client in
        var received = 0
        var most = 0
        for try await buffer in client.inbound {
          received += buffer.readableBytes
          most = max(most, requested.value * text.utf8.count - received)
          if received > count * text.utf8.count, String(buffer: buffer).hasSuffix("0\r\n\r\n") { break }
        }
        print("of \(count * text.utf8.count) bytes, at most \(most) were on their way")
        #expect(requested.value == count && received > count * text.utf8.count)
        #expect(most < 16 << 20)
      }
    }
  }

  @Test func `a failure cuts the connection after the values before it`() async throws {
    let prices = PassthroughSubject<Int, Broken>()
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.url("prices")), timeout: .seconds(60))
      prices.send(1)
      prices.send(2)
      prices.send(completion: .failure(Broken()))
      var text = ""
      await #expect(throws: (any Error).self) {
        for try await buffer in response.body { text += String(buffer: buffer) }
      }
      #expect(text == "data: 1\n\ndata: 2\n\n")
    }
  }

  @Test func `an idle stream sends comments`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let router = Router()
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") },
        keepAlive: .milliseconds(20))
    }
    try await TestServer.run(router) { server in
      let response = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: server.url("prices")), timeout: .seconds(60))
      var text = ""
      for try await buffer in response.body {
        text += String(buffer: buffer)
        if text == ":\n\n:\n\n" { prices.send(7) }
        if text.hasSuffix("data: 7\n\n:\n\n") { prices.send(completion: .finished) }
      }
      #expect(text.hasPrefix(":\n\n:\n\n") && text.replacing(":\n\n", with: "") == "data: 7\n\n")
      #expect(cancellations.value == 0)
    }
  }

  @Test func `a browser's last event ID is a property of the request`() async throws {
    let router = Router()
    router.get("id") { request, _ in request.lastEventID ?? "none" }
    try await TestServer.run(router) { server in
      var request = HTTPClientRequest(url: server.url("id"))
      let none = try await text(of: request)
      request.headers.add(name: "last-event-id", value: "41")
      let id = try await text(of: request)
      #expect(none == "none" && id == "41")
    }
  }

  @Test func `a request whose body has been read opens a stream`() async throws {
    let router = Router()
    router.post("lines") { request, _ in
      let text = String(buffer: try await request.body.collect(upTo: 1 << 10))
      return Response.serverSentEvents(
        to: request, (1...3).publisher.map { ServerSentEvent(data: "\(text) \($0)") }, bounded: 2, whenFull: .wait)
    }
    try await TestServer.run(router) { server in
      var request = HTTPClientRequest(url: server.url("lines"))
      request.method = .POST
      request.body = .bytes(ByteBuffer(string: "line"))
      let lines = try await text(of: request)
      #expect(lines == "data: line 1\n\ndata: line 2\n\ndata: line 3\n\n")
    }
  }

  @Test(arguments: [4, 1 << 20])
  func `a client that leaves after its body cancels the subscription`(size: Int) async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let router = Router()
    router.post("read") { request, _ in
      _ = try await request.body.collect(upTo: size)
      return Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") })
    }
    router.post("unread") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      for (count, path) in ["read", "unread"].enumerated() {
        let head = "POST /\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n"
        try await server.connect(sending: head + String(repeating: "x", count: size)) {
          try await $0.read(until: "text/event-stream")
        }
        try await wait(for: "The subscription is cancelled.") { cancellations.value == count + 1 }
      }
    }
  }

  private struct Line: Codable { let text: String }

  @Test func `a decoded body opens a stream under the router's test too`() async throws {
    let router = Router()
    router.post("lines") { request, context in
      let line = try await request.decode(as: Line.self, context: context)
      return Response.serverSentEvents(
        to: request, (1...3).publisher.map { ServerSentEvent(data: "\(line.text) \($0)") }, context: context)
    }
    try await Application(router: router).test(.router) { client in
      try await client.execute(
        uri: "/lines", method: .post, headers: [.contentType: "application/json"],
        body: ByteBuffer(string: #"{"text":"line"}"#)
      ) {
        #expect(String(buffer: $0.body) == "data: line 1\n\ndata: line 2\n\ndata: line 3\n\n")
      }
    }
  }

  @Test func `a HEAD request leaves no subscription behind`() async throws {
    let (prices, subscriptions, cancellations) = (prices, subscriptions, cancellations)
    let router = Router(options: .autoGenerateHeadEndpoints)
    router.get("prices") { request, _ in
      Response.serverSentEvents(
        to: request, Self.counted(prices, subscriptions, cancellations).map { ServerSentEvent(data: "\($0)") })
    }
    try await TestServer.run(router) { server in
      var request = HTTPClientRequest(url: server.url("prices"))
      request.method = .HEAD
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      #expect(response.status == .ok)
      try await wait(for: "The subscription is cancelled.") { subscriptions.value == 1 && cancellations.value == 1 }
    }
  }
}
