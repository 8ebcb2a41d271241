import AsyncHTTPClient
import Hummingbird
import NIOHTTP1
import Streams
import StreamsHummingbird
import TestSupport
import Testing

/// The first server of the article "With a server framework".
@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct FirstServerTests {
  @Test func `a client receives the prices that are posted`() async throws {
    let prices = PassthroughSubject<Double, Never>()
    let router = Router(context: ChannelContext.self)
    router.get("prices") { request, context in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
    }
    router.post("prices/{price}") { _, context in
      prices.send(try context.parameters.require("price", as: Double.self))
      return HTTPResponse.Status.accepted
    }

    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      let address = "http://127.0.0.1:\(port)/prices"
      // The subscription begins before the head arrives.
      let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: address), timeout: .seconds(60))
      for (path, status) in [("21.5", 202), ("much", 400), ("20.75", 202)] {
        var request = HTTPClientRequest(url: "\(address)/\(path)")
        request.method = .POST
        #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code == status)
      }
      var text = ""
      for try await part in response.body {
        text += String(buffer: part)
        if text.contains("20.75\n\n") { break }
      }
      #expect(text == "data: 21.5\n\ndata: 20.75\n\n")
    }
  }

  /// Runs the server as the article does, at a port that another program may use.
  private func run(_ router: Router<ChannelContext>) async throws {
    try await Application(router: router).runService()
  }
}
