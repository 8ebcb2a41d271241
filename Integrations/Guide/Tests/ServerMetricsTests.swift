import Dispatch
import Logging
import MetricsTestKit
import StreamAlgorithms
import StreamInspection
import StreamTesting
import Streams
import StreamsObservability
import TestSupport
import Testing

/// The code of the article about metrics.
@Suite(.timeLimit(.minutes(3)), .aloneInProcess)
struct ServerMetricsTests {
  @Test func `metrics of queues`() async throws {
    let metrics = TestMetrics()
    let logger = Logger.quiet
    defer { StreamInspector.stop() }
    let queue = DispatchQueue.test

    let reporter = StreamReporter(interval: .seconds(10), logger: logger, metricsFactory: metrics)
    reporter.startInspecting()

    let orders = PassthroughSubject<Int, Never>()
    let booking =
      orders
      .receive(on: queue, bounded: 1_000, whenFull: .dropOldest)
      .checkpoint("orders")
      .sink { order in logger.info("order \(order)") }

    for order in 1...42 { orders.send(order) }
    await reporter.report()
    let waiting = metrics.recorders.first { recorder in
      recorder.label == "streams_part_waiting"
        && recorder.dimensions.contains { $0 == ("checkpoint", "orders") }
        && recorder.dimensions.contains { $0 == ("operator", "receive(on:)") }
    }
    #expect(waiting?.lastValue == 42)
    booking.cancel()
  }
}
