import AsyncHTTPClient
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket
import ServiceContextModule
import StreamAlgorithms
import Streams
import StreamsHummingbird
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct WebSocketTests {
  private static func server(
    _ configuration: HTTP1WebSocketChannel.Configuration = .init(),
    _ handler: @escaping @Sendable (WebSocket) async throws -> Void
  ) -> HTTPServerBuilder {
    let router = Router()
    router.ws("socket") { webSocket, _ in try await handler(webSocket) }
    return .http1WebSocketUpgrade(webSocketRouter: router, configuration: configuration)
  }

  private static let echo = server { webSocket in
    try await webSocket.send(webSocket.messages, whenFull: .wait)
  }

  @Test func `messages are echoed in order`() async throws {
    try await TestServer.run(Router(), Self.echo) { server in
      try await server.connectWebSocket("/socket") { client in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for number in 1...1_000 { try await client.send(.text, "\(number)") }
            try await client.send(.binary, ByteBuffer(bytes: [0, 255]))
          }
          var frames = client.inbound.makeAsyncIterator()
          for number in 1...1_000 {
            let frame = try await frames.receive()
            #expect(frame == .text("\(number)"))
          }
          let binary = try await frames.next()
          #expect(binary?.opcode == .binary && binary?.data == ByteBuffer(bytes: [0, 255]))
          try await client.sendClose(1_000, "bye")
          let close = try await frames.receive()
          #expect(close == .close(1_000, "bye"))
          let end = try await frames.receive()
          #expect(end == nil)
          try await group.waitForAll()
        }
      }
    }
  }

  @Test func `fragments are joined and pings between them are answered`() async throws {
    try await TestServer.run(Router(), Self.echo) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        try await client.send(.text, "21 ", fin: false)
        try await client.send(.ping, "there?")
        try await client.send(.continuation, "", fin: false)
        try await client.send(.continuation, "°C")
        let pong = try await frames.receive()
        let text = try await frames.receive()
        #expect(pong == Received(opcode: .pong, text: "there?"))
        #expect(text == .text("21 °C"))
      }
    }
  }

  @Test(arguments: [false, true]) func `both directions of a room of clients`(isBounded: Bool) async throws {
    let room = PassthroughSubject<String, Never>()
    let members = Counter()
    let server = Self.server { webSocket in
      let messages = room.map(WebSocketMessage.text).handleEvents(receiveSubscription: { _ in members.increment() })
      @Sendable func post(_ message: WebSocketMessage) {
        if case .text(let text) = message { room.send(text) }
      }
      if isBounded {
        try await webSocket.send(messages, bounded: 4, whenFull: .cancel) { post($0) }
      } else {
        try await webSocket.send(messages) { post($0) }
      }
    }
    try await TestServer.run(Router(), server) { server in
      try await server.connectWebSocket("/socket") { first in
        try await server.connectWebSocket("/socket") { second in
          try await wait(for: "both are in the room") { members.value == 2 }
          var (ofFirst, ofSecond) = (first.inbound.makeAsyncIterator(), second.inbound.makeAsyncIterator())
          for number in 0..<100 {
            try await (number % 2 == 0 ? first : second).send(.text, "\(number)")
            let received = try await [ofFirst.receive(), ofSecond.receive()]
            #expect(received == [.text("\(number)"), .text("\(number)")])
          }
          try await first.sendClose(1_000, "bye")
          let close = try await ofFirst.receive()
          #expect(close == .close(1_000, "bye"))
          try await second.send(.text, "alone")
          let alone = try await ofSecond.receive()
          #expect(alone == .text("alone"))
        }
      }
    }
  }

  @Test func `a closure that fails ends both directions`() async throws {
    let cancelled = Counter()
    let server = Self.server { webSocket in
      let idle = AnySendablePublisher {
        Empty<WebSocketMessage, Never>(completeImmediately: false).handleEvents(receiveCancel: { cancelled.increment() }
        )
      }
      try await webSocket.send(idle) { _ in throw WebSocketClosed(code: .policyViolation, reason: "no") }
    }
    try await TestServer.run(Router(), server) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        try await client.send(.text, "hello")
        let close = try await frames.receive()
        #expect(close == .close(1_008, "no"))
      }
      try await wait(for: "the subscription is cancelled") { cancelled.value == 1 }
    }
  }

  @Test func `ordinary requests and refused upgrades go to the router`() async throws {
    let router = Router()
    router.get("hello") { _, _ in "hello" }
    router.post("echo") { request, _ in
      "echo " + String(buffer: try await request.body.collect(upTo: 1 << 10))
    }
    router.get("no-socket") { _, _ in "no socket" }
    try await TestServer.run(router, Self.echo) { server in
      for _ in 1...2 {
        let response = try await HTTPClient.shared.execute(
          HTTPClientRequest(url: server.url("hello")), timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 10))
        #expect(text == "hello")
      }
      await #expect(throws: NotUpgraded.self) {
        try await server.connectWebSocket("/no-socket") { _ in }
      }
      let body = "Content-Length: 4\r\n\r\ndata"
      try await server.connect(sending: "POST /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\n\(body)") {
        try await $0.read(until: "echo data")
      }
      let upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n"
      try await server.connect(sending: "GET /no-socket HTTP/1.1\r\nHost: localhost\r\n\(upgrade)\r\n") {
        try await $0.read(until: "no socket")
      }
      try await server.connect(sending: "GET / NONSENSE\r\n\r\n") { try await $0.read(until: "400 Bad Request") }
    }
  }

  private struct Visitor: RequestContext {
    var coreContext: CoreRequestContextStorage
    var name: String?

    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
  }

  private struct Door: RouterMiddleware {
    typealias Context = Visitor

    func handle(
      _ request: Request, context: Visitor, next: (Request, Visitor) async throws -> Response
    ) async throws -> Response {
      guard let name = request.uri.queryParameters["name"] else { throw HTTPError(.unauthorized) }
      var context = context
      context.name = String(name)
      var response = try await next(request, context)
      response.headers[.server] = "door"
      return response
    }
  }

  @Test func `a route has parameters, middleware, a context and a logger`() async throws {
    let router = Router(context: Visitor.self)
    router.add(middleware: Door())
    router.ws("rooms/{room}") { request, _ in
      request.uri.queryParameters["closed"] == nil ? .upgrade([.secWebSocketProtocol: "chat"]) : .dontUpgrade
    } onUpgrade: { webSocket, context in
      let room = try context.requestContext.parameters.require("room")
      #expect(context.logger[metadataKey: "hb.request.id"] != nil)
      try await webSocket.send(.text("\(context.requestContext.name ?? "nobody") in \(room) of \(context.request.uri)"))
    }
    let others = Router()
    others.get("rooms/{room}") { _, _ in "a page" }
    try await TestServer.run(others, .http1WebSocketUpgrade(webSocketRouter: router)) { server in
      try await server.connectWebSocket("/rooms/7?name=Ada") { client in
        var frames = client.inbound.makeAsyncIterator()
        let text = try await frames.receive()
        #expect(text == .text("Ada in 7 of /rooms/7?name=Ada"))
      }
      let expected = [
        "/rooms/7?name=Ada": "Server: door", "/rooms/7": "401 Unauthorized", "/elsewhere?name=Ada": "404 Not Found",
        "/rooms/7?name=Ada&closed": "a page",
      ]
      for (path, expected) in expected {
        try await server.connect(sending: Self.opening(path)) { try await $0.read(until: expected) }
      }
    }
  }

  @Test func `the ID of the request is in the context of a socket and of its messages`() async throws {
    let router = Router()
    router.add(middleware: RequestIDMiddleware())
    router.ws("socket") { webSocket, context in
      @Sendable func id() -> String { ServiceContext.current?.requestID ?? "none" }
      let replies = PassthroughSubject<WebSocketMessage, Never>()
      let logged = context.logger[metadataKey: "request-id"].map { "\($0)" }
      #expect(logged == id())
      try await webSocket.send(.text(id()))
      try await webSocket.send(replies) { _ in replies.send(.text(id())) }
    }
    try await TestServer.run(Router(), .http1WebSocketUpgrade(webSocketRouter: router)) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        let first = try await frames.receive()
        try await client.send(.text, "hello")
        let second = try await frames.receive()
        #expect(first == second && first != .text("none"))
      }
    }
  }

  private static func opening(
    _ path: String, version: String = "13", key: String = "dGhlIHNhbXBsZSBub25jZQ=="
  ) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
      + "Sec-WebSocket-Version: \(version)\r\nSec-WebSocket-Key: \(key)\r\n\r\n"
  }

  @Test func `another version and a malformed key are refused`() async throws {
    let router = Router()
    router.ws("socket") { _, _ in }
    router.get("hello") { _, _ in "hello" }
    try await TestServer.run(router, .http1WebSocketUpgrade(webSocketRouter: router)) { server in
      let text = try await server.connect(sending: Self.opening("/socket", version: "8")) {
        try await $0.readToEnd()
      }
      #expect(text.contains("426 Upgrade Required") && text.contains("Sec-WebSocket-Version: 13"), "\(text)")
      for key in ["", "x", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZ!=="] {
        try await server.connect(sending: Self.opening("/socket", key: key)) {
          try await $0.read(until: "400 Bad Request")
        }
      }
      // An ordinary request for a web socket, and a web socket for an ordinary route.
      try await server.connect(sending: "GET /socket HTTP/1.1\r\nHost: localhost\r\n\r\n") {
        try await $0.read(until: "426 Upgrade Required")
      }
      let old = Self.opening("/socket").replacing("HTTP/1.1", with: "HTTP/1.0")
      try await server.connect(sending: old) { try await $0.read(until: "426 Upgrade Required") }
      let hello = try await server.connect(sending: Self.opening("/hello", version: "8")) { try await $0.readToEnd() }
      #expect(hello.hasSuffix("hello"))
      // NIO would read no second request after this one.
      let h2c = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"
      let other = try await server.connect(sending: h2c) { try await $0.readToEnd() }
      #expect(other.hasSuffix("hello"))
    }
  }

  @Test func `a client that leaves an idle socket cancels its subscription`() async throws {
    let prices = PassthroughSubject<Int, Never>()
    let (subscriptions, cancellations, ends) = (Counter(), Counter(), Counter())
    let builder = Self.server { webSocket in
      defer { ends.increment() }
      let counted = prices.handleEvents(
        receiveSubscription: { _ in subscriptions.increment() }, receiveCancel: { cancellations.increment() })
      try await webSocket.send(counted.map { .text("\($0)") })
    }
    try await TestServer.run(Router(), builder) { server in
      // One leaves without a close frame, the other one with it.
      try await server.connectWebSocket("/socket") { _ in
        try await wait(for: "It has subscribed.") { subscriptions.value == 1 }
        #expect(cancellations.value == 0)
      }
      try await wait(for: "The subscription is cancelled.") { cancellations.value == 1 && ends.value == 1 }
      try await server.connectWebSocket("/socket") { client in
        try await wait(for: "It has subscribed.") { subscriptions.value == 2 }
        var frames = client.inbound.makeAsyncIterator()
        try await client.sendClose(1_001)
        let answer = try await frames.receive()
        #expect(answer == .close(1_001))
        try await wait(for: "The subscription is cancelled.") { cancellations.value == 2 && ends.value == 2 }
      }
    }
  }

  @Test func `a stalled client is cut off at the bound and another one receives everything`() async throws {
    let prices = PassthroughSubject<Int, Never>()
    let (subscriptions, cancellations) = (Counter(), Counter())
    let bytes = ByteBuffer(repeating: 7, count: 1 << 16)
    let builder = Self.server { webSocket in
      let counted = prices.handleEvents(
        receiveSubscription: { _ in subscriptions.increment() }, receiveCancel: { cancellations.increment() })
      try await webSocket.send(counted.map { _ in .binary(bytes) }, bounded: 8, whenFull: .cancel)
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { stalled in
        try await wait(for: "The stalled client has subscribed.") { subscriptions.value == 1 }
        try await server.connectWebSocket("/socket") { client in
          try await wait(for: "The other client has subscribed.") { subscriptions.value == 2 }
          var frames = client.inbound.makeAsyncIterator()
          var sent = 0
          while cancellations.value == 0, sent < 10_000 {
            sent += 1
            prices.send(sent)
            let length = try await frames.next()?.length
            #expect(length == 1 << 16)
          }
          print("a web socket that reads nothing was cut off after \(sent) messages of 64 KB")
          #expect(sent < 10_000 && cancellations.value == 1)
          prices.send(completion: .finished)
          let close = try await frames.receive()
          #expect(close == .close(1_000))
          try await client.sendClose(1_000)
        }
        var received = 0
        do {
          for try await frame in stalled.inbound { received += frame.opcode == .connectionClose ? 1_000_000 : 1 }
        } catch {}
        #expect(received < 10_000)
      }
    }
  }

  @Test(arguments: [
    UnreadLimit(bytes: 1 << 20, time: .seconds(3_600)), UnreadLimit(bytes: .max, time: .milliseconds(100)),
  ])
  func `a client that doesn't read is cut off`(limit: UnreadLimit) async throws {
    let prices = PassthroughSubject<Int, Never>()
    let (subscriptions, cancellations, cuts) = (Counter(), Counter(), Counter())
    let bytes = ByteBuffer(repeating: 7, count: 1 << 16)
    let builder = Self.server { webSocket in
      let counted = prices.handleEvents(
        receiveSubscription: { _ in subscriptions.increment() }, receiveCancel: { cancellations.increment() })
      do {
        try await webSocket.send(counted.map { _ in .binary(bytes) }, unread: limit)
      } catch let closure as WebSocketClosed where closure == .unread {
        cuts.increment()
      }
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { stalled in
        try await wait(for: "The client has subscribed.") { subscriptions.value == 1 }
        try await wait(for: "It's cut off.") {
          prices.send(1)
          return cancellations.value == 1
        }
        try await wait(for: "The handler knows why.") { cuts.value == 1 }
      }
    }
  }

  @Test func `a client that reads isn't cut for a burst`() async throws {
    let builder = Self.server { webSocket in
      try await webSocket.send((1...1_000).publisher.map { .text("\($0)") })
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        for number in 1...1_000 {
          let frame = try await frames.receive()
          #expect(frame == .text("\(number)"))
        }
        let close = try await frames.receive()
        #expect(close == .close(1_000))
      }
    }
  }

  @Test func `messages that nobody requests make the client wait`() async throws {
    let (request, requesting) = AsyncStream<Void>.makeStream()
    let (opened, received) = (Counter(), Counter())
    let count = 400
    let builder = Self.server { webSocket in
      opened.increment()
      for await _ in request {}
      for try await message in webSocket.messages.values {
        if case .binary(let bytes) = message { received.increment(by: bytes.readableBytes) }
      }
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { client in
        let sent = Counter()
        let sending = Task {
          for _ in 1...count {
            try await client.send(.binary, ByteBuffer(repeating: 7, count: 1 << 16))
            sent.increment(by: 1 << 16)
          }
          try await client.sendClose(1_000)
        }
        try await wait(for: "The socket is open.") { opened.value == 1 && sent.value > 0 }
        var before = 0
        repeat {
          before = sent.value
          try await Task.sleep(for: .milliseconds(300))
        } while sent.value != before
        print("of \(count << 16) bytes, \(before) were taken from the client before any was requested")
        #expect(before < 16 << 20 && received.value == 0)
        requesting.finish()
        try await sending.value
        try await wait(for: "Everything is received.") { received.value == count << 16 }
      }
    }
  }

  private static func masked(
    _ opcode: WebSocketOpcode, _ bytes: [UInt8] = [1], fin: Bool = true, rsv1: Bool = false
  ) -> WebSocketFrame {
    WebSocketFrame(fin: fin, rsv1: rsv1, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: bytes))
  }

  private static let violations: [(Int, [WebSocketFrame])] = [
    (1_002, [WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "not masked"))]),
    (1_002, [masked(.continuation)]),
    (1_002, [masked(.text, rsv1: true)]),
    (1_002, [masked(.ping, fin: false)]),
    (1_002, [masked(WebSocketOpcode(encodedWebSocketOpcode: 3)!)]),
    (1_002, [masked(.text, fin: false), masked(.text)]),
    (1_002, [masked(.connectionClose, [1])]),
    (1_002, [masked(.connectionClose, [3, 237])]),  // 1005, which means "no code".
    (1_007, [masked(.connectionClose, [3, 232, 0xFF])]),
    (1_007, [masked(.text, [0xC0, 0xAF])]),
    (1_009, [masked(.binary, Array(repeating: 7, count: 101))]),
    (
      1_009,
      [
        masked(.binary, Array(repeating: 7, count: 60), fin: false),
        masked(.continuation, Array(repeating: 7, count: 60)),
      ]
    ),
  ]

  @Test(arguments: violations)
  func `a client that breaks the protocol is closed`(code: Int, frames sent: [WebSocketFrame]) async throws {
    let failures = Counter()
    let builder = Self.server(.init(maximumMessageSize: 100)) { webSocket in
      do {
        for try await _ in webSocket.messages.values {}
      } catch is WebSocketClosed {
        failures.increment()
      }
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        for frame in sent { try await client.outbound.write(frame) }
        let close = try await frames.receive()
        #expect(close == .close(code))
      }
      try await wait(for: "The messages fail.") { failures.value == 1 }
    }
  }

  @Test func `the handler's end closes the socket with its code`() async throws {
    let router = Router()
    router.ws("returns") { webSocket, _ in try await webSocket.send(.text("last")) }
    router.ws("chooses") { _, _ in
      throw WebSocketClosed(code: .policyViolation, reason: String(repeating: "é", count: 100))
    }
    router.ws("fails") { _, _ in throw Broken() }
    try await TestServer.run(router, .http1WebSocketUpgrade(webSocketRouter: router)) { server in
      let expected: [(String, Received)] = [
        ("/returns", .close(1_000)), ("/chooses", .close(1_008, String(repeating: "é", count: 61))),
        ("/fails", .close(1_011)),
      ]
      for (path, expected) in expected {
        try await server.connectWebSocket(path) { client in
          var frames = client.inbound.makeAsyncIterator()
          if path == "/returns" {
            let text = try await frames.receive()
            #expect(text == .text("last"))
          }
          let close = try await frames.receive()
          #expect(close == expected)
          try await client.sendClose(1_000)
          let end = try await frames.receive()
          #expect(end == nil)
        }
      }
    }
  }

  @Test func `a graceful shutdown sends what waits and closes sockets and unused connections`() async throws {
    let prices = PassthroughSubject<Int, Never>()
    let subscriptions = Counter()
    let builder = Self.server { webSocket in
      let counted = prices.handleEvents(receiveSubscription: { _ in subscriptions.increment() })
      try await webSocket.send(counted.map { .text("\($0)") })
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connect(sending: "GET ") { unused in
        try await server.connectWebSocket("/socket") { client in
          var frames = client.inbound.makeAsyncIterator()
          try await wait(for: "It has subscribed.") { subscriptions.value == 1 }
          for price in 1...20 { prices.send(price) }
          await server.shutDown()
          for price in 1...20 {
            let frame = try await frames.receive()
            #expect(frame == .text("\(price)"))
          }
          let close = try await frames.receive()
          #expect(close == .close(1_001))
          try await client.sendClose(1_001)
        }
        do {
          for try await _ in unused.inbound {}
        } catch is IOError {}
      }
    }
  }

  @Test func `a shutdown doesn't wait for a handler that doesn't return`() async throws {
    let opened = Counter()
    let builder = Self.server(.init(closeTimeout: .milliseconds(50))) { _ in
      opened.increment()
      try await Task.sleep(for: .seconds(86_400))
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { client in
        try await wait(for: "The socket is open.") { opened.value == 1 }
        await server.shutDown()
        for try await _ in client.inbound {}
      }
    }
  }

  @Test func `a client that answers no ping is closed`() async throws {
    let ends = Counter()
    let builder = Self.server(.init(pingInterval: .seconds(2))) { webSocket in
      for try await _ in webSocket.messages.values {}
      ends.increment()
    }
    try await TestServer.run(Router(), builder) { server in
      try await server.connectWebSocket("/socket") { client in
        var frames = client.inbound.makeAsyncIterator()
        var pings = 0
        while let frame = try await frames.receive() {
          #expect(frame.opcode == .ping)
          pings += 1
          if pings == 1 { try await client.send(.pong) }
        }
        #expect(pings == 2)
        try await wait(for: "The handler has returned.") { ends.value == 1 }
      }
    }
  }
}
