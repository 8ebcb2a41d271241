import Hummingbird
import Logging
import MetricsTestKit
import NIOCore
import NIOPosix
import StreamAlgorithms
import StreamInspection
import Streams
import StreamsHummingbird
import StreamsObservability
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct RouteNamesTests {
  @Test func `clients don't choose the names of metrics`() async throws {
    let metrics = TestMetrics()
    let reporter = StreamReporter(interval: .seconds(10), logger: .quiet, metricsFactory: metrics)
    reporter.startInspecting()
    defer { StreamInspector.stop() }
    let count = 100
    let subscribed = Counter()
    let router = Router(context: ChannelContext.self)
    router.get("rooms/:room") { request, context in
      let events = AnySendablePublisher {
        Empty<ServerSentEvent, Never>(completeImmediately: false)
          .handleEvents(receiveSubscription: { _ in subscribed.increment() })
      }
      return Response.serverSentEvents(to: request, events, context: context)
    }
    router.get("bodies/:room") { request, _ in
      let chunks = AnySendablePublisher {
        Empty<ByteBuffer, Never>(completeImmediately: false)
          .handleEvents(receiveSubscription: { _ in subscribed.increment() })
      }
      return Response(status: .ok, body: ResponseBody(chunks, to: request))
    }
    try await serve(Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))) {
      port in
      var channels: [any Channel] = []
      for path in ["rooms", "bodies"] {
        for room in 0..<count {
          let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
          channels.append(channel)
          try await channel.writeAndFlush(
            ByteBuffer(string: "GET /\(path)/\(room) HTTP/1.1\r\nhost: localhost\r\n\r\n"))
        }
      }
      try await wait(for: "all are subscribed") { subscribed.value == 2 * count }
      await reporter.report()
      let names = Set(metrics.recorders.flatMap(\.dimensions).filter { $0.0 == "checkpoint" }.map(\.1))
      // A body doesn't end with the server, but with its client.
      for channel in channels { try await channel.close() }
      #expect(names.subtracting([""]) == ["GET /rooms/{room}", "GET response"])
    }
  }
}
