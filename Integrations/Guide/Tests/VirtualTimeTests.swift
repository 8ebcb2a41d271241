import Hummingbird
import NIOCore
import NIOEmbedded
import Streams
import StreamsHummingbird
import TestSupport
import Testing

/// Keep-alives and slow clients of the article "With a server framework", in virtual time.
@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct VirtualTimeTests {
  private func router(of prices: PassthroughSubject<Double, Never>) -> Router<ChannelContext> {
    let router = Router(context: ChannelContext.self)
    router.get("prices") { request, context in
      Response.serverSentEvents(to: request, prices.map { ServerSentEvent(data: "\($0)") }, context: context)
    }
    return router
  }

  @Test func `a stream without events sends comments`() async throws {
    let prices = PassthroughSubject<Double, Never>()
    let router = router(of: prices)
    let connection = try await VirtualConnection(to: router)
    try await connection.get("/prices")
    try await connection.receive("text/event-stream")
    prices.send(20.5)
    try await connection.receive("data: 20.5\n\n")
    var text = ""
    while !text.contains(":\n\n") {
      // The first interval may be that of the event.
      await connection.loop.advanceTime(by: .seconds(15))
      text += try await connection.written()
    }
    try await connection.channel.close()
  }

  @Test func `a client that doesn't read for five seconds is cut off`() async throws {
    let prices = PassthroughSubject<Double, Never>()
    let router = router(of: prices)
    let connection = try await VirtualConnection(to: router)
    try await connection.get("/prices")
    try await connection.receive("text/event-stream")
    try await connection.stopReading()
    prices.send(20.5)
    await connection.loop.advanceTime(by: .seconds(6))
    prices.send(21)
    try await connection.channel.closeFuture.get()
  }
}
