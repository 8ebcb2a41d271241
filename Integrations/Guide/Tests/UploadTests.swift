import AsyncHTTPClient
import Hummingbird
import NIOCore
import NIOHTTP1
import StreamAlgorithms
import Streams
import StreamsNIO
import Synchronization
import TestSupport
import Testing

/// The upload of the article "With a server framework".
@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct UploadTests {
  @Test func `an upload is stored line by line, and one with a long line is refused`() async throws {
    let stored = Mutex<[String]>([])
    @Sendable func store(_ line: String) async throws { stored.withLock { $0.append(line) } }

    let router = Router(context: BasicRequestContext.self)
    router.post("readings") { request, _ in
      var count = 0
      do {
        for try await line in request.body.publisher.lines(maximumLength: 64).values {
          try await store(line)
          count += 1
        }
      } catch let error as LineTooLong {
        throw HTTPError(.contentTooLarge, message: error.description)
      }
      try Task.checkCancellation()
      return "\(count)"
    }

    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      func upload(_ text: String) async throws -> (status: UInt, text: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/readings")
        request.method = .POST
        request.body = .bytes(ByteBuffer(string: text))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
      }
      let accepted = try await upload("20.5\r\n21\n\n21.5")
      #expect(accepted == (200, "4"))
      // What follows the response is read and dropped, so that the connection can be used again.
      let refused = try await upload("1\n" + String(repeating: "x", count: 10_000_000))
      #expect(refused.status == 413 && refused.text.contains("more than the 64 bytes"))
      #expect(try await upload("22") == (200, "1"))
      #expect(stored.withLock { $0 } == ["20.5", "21", "", "21.5", "1", "22"])
    }
  }
}
