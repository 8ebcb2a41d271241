import AsyncHTTPClient
import Hummingbird
import NIOCore
import StreamAlgorithms
import StreamTesting
import Streams
import StreamsHTTPClient
import StreamsHummingbird
import TestSupport
import Testing

/// Servers and a client that are connected by sockets.
@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct ServerSentEventsTests {
  /// Runs a server for the time of a closure.
  private func serve<Context: RequestContext>(
    _ router: Router<Context>, port: Int = 0, _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws where Context: InitializableFromSource<ApplicationRequestContextSource> {
    try await StreamsHTTPClientTests.serve(
      Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))), body)
  }

  private func events(
    from path: String, port: Int, maxRetries: Int = .max, answeringWithin limit: Duration = .seconds(10)
  ) -> AnySendablePublisher<ServerSentEvent, any Error> {
    HTTPClient.shared.serverSentEvents(
      from: HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)"),
      reconnecting: .delay(.milliseconds(1), maxRetries: maxRetries), answeringWithin: limit)
  }

  @Test func `a log is read without a gap or a double while its server restarts`() async throws {
    let log = MemoryEventLog(capacity: 10_000)
    let router = Router(context: ChannelContext.self)
    router.get("log") { request, context in
      try await Response.serverSentEvents(
        to: request, from: log, latest: 10_000, drainInterval: .milliseconds(1), context: context)
    }
    let received = Collected<String>()
    let subscription = Collected<AnyCancellable>()
    // The first server chooses a port, which the others use.
    let port = Counter()
    for round in 0..<5 {
      try await serve(router, port: port.value) { found in
        if round == 0 {
          port.increment(by: found)
          subscription.append(
            events(from: "log", port: found).sink(
              receiveCompletion: { Issue.record("The stream ended with \($0).") },
              receiveValue: { event in received.append(event.data ?? "") }))
        }
        for number in 0..<100 { log.append(ServerSentEvent(data: "\(round * 100 + number)")) }
        try await wait(for: "the events of the round arrive") { received.count >= (round + 1) * 100 }
      }
    }
    #expect(received.values == (0..<500).map { "\($0)" })
    for stream in subscription.values { stream.cancel() }
  }

  @Test func `a status and a type that are no event stream fail, and no content finishes`() async throws {
    let router = Router()
    router.get("text") { _, _ in "text" }
    router.get("gone") { _, _ in Response(status: .noContent) }
    try await serve(router) { port in
      for (path, status) in [("text", 200), ("missing", 404)] {
        let recorder = events(from: path, port: port).record()
        try await wait(for: "the stream ends") { recorder.completion != nil }
        guard case .failure(let error)? = recorder.completion else {
          Issue.record("\(path) finished.")
          continue
        }
        #expect((error as? EventStreamRefused)?.status == status)
      }
      let gone = events(from: "gone", port: port).record()
      try await wait(for: "the stream ends") { gone.completion != nil }
      guard case .finished? = gone.completion else {
        Issue.record("\(String(describing: gone.completion))")
        return
      }
    }
  }

  @Test func `a server that isn't there is tried as often as the policy allows`() async throws {
    // A port that nobody listens at.
    let recorder = events(from: "", port: 1, maxRetries: 3, answeringWithin: .milliseconds(50)).record()
    try await wait(for: "the stream ends") { recorder.completion != nil }
    guard case .failure? = recorder.completion else {
      Issue.record("\(String(describing: recorder.completion))")
      return
    }
  }

  @Test func `a client that leaves closes its connection, and one that requests nothing isn't sent everything`()
    async throws
  {
    let (subscribed, cancelled, sent) = (Counter(), Counter(), Counter())
    let router = Router(context: ChannelContext.self)
    router.get("rows") { request, context in
      Response.serverSentEvents(
        to: request,
        AnySendablePublisher {
          (0..<Int.max).publisher.map { number in
            sent.increment()
            return ServerSentEvent(data: "\(number)" + String(repeating: ".", count: 1_000))
          }
          .handleEvents(
            receiveSubscription: { _ in subscribed.increment() }, receiveCancel: { cancelled.increment() })
        }, bounded: 16, whenFull: .wait, context: context)
    }
    try await serve(router) { port in
      let recorder = events(from: "rows", port: port).record(demand: .max(3))
      #expect(await recorder.next(3).count == 3)
      // It stops when the buffers of the client, the server and both systems are full.
      var before = -1
      try await wait(for: "the server waits") {
        defer { before = sent.value }
        try await Task.sleep(for: .milliseconds(200))
        return before == sent.value
      }
      #expect(sent.value < 50_000 && recorder.values.count == 3)
      recorder.cancel()
      try await wait(for: "the subscription is cancelled") { cancelled.value == subscribed.value }
    }
  }
}
