import Dispatch
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import ServiceLifecycle
import StreamAlgorithms
import StreamInspection
import StreamSchedulers
import Streams
import TestSupport
import Testing

@testable import StreamsObservability

/// A reporter that observes the process, and what it logs.
private let observing: (reporter: StreamReporter, log: CountingLogHandler) = {
  let log = CountingLogHandler()
  var logger = Logger(label: "test") { _ in log }
  logger.logLevel = .trace
  var thresholds = Inspection.Thresholds()
  thresholds.withoutDemand = .zero
  return (StreamReporter(thresholds: thresholds, logger: logger, metricsFactory: TestMetrics()), log)
}()

@Suite(.serialized, .aloneInProcess)
struct StreamReporterTests {
  private let metrics = TestMetrics()
  private let logger: Logger
  private let log: InMemoryLogHandler

  init() {
    // Another suite may have left it on, or off.
    StreamInspector.stop()
    // Without lints: what reads a stream at the same time holds its subject, which then isn't found to be abandoned.
    observing.reporter.startInspecting(lints: false)
    (logger, log) = makeLogger()
  }

  private func makeReporter(maximumTrees: Int = 1_000_000) -> StreamReporter {
    StreamReporter(interval: .milliseconds(10), maximumTrees: maximumTrees, logger: logger, metricsFactory: metrics)
  }

  /// Reports until a condition is met. A stream that the inspector is reading ends a little later than it's cancelled.
  private func report(_ reporter: StreamReporter, until expectation: Comment, _ condition: () -> Bool) async throws {
    try await wait(for: expectation) {
      await reporter.report()
      return condition()
    }
  }

  /// Returns the last value of the gauges of a checkpoint, by operator.
  private func gauges(_ label: String, _ checkpoint: String) -> [String: Double] {
    metrics.recorders(label: label).reduce(into: [:]) { gauges, recorder in
      let dimensions = Dictionary(uniqueKeysWithValues: recorder.dimensions)
      if dimensions["checkpoint"] == checkpoint { gauges[dimensions["operator"] ?? ""] = recorder.lastValue }
    }
  }

  /// Returns the totals of the counters of a checkpoint, by operator.
  private func counts(_ label: String, _ checkpoint: String) -> [String: Int64] {
    metrics.counters(label: label).reduce(into: [:]) { counts, counter in
      let dimensions = Dictionary(uniqueKeysWithValues: counter.dimensions)
      if dimensions["checkpoint"] == checkpoint { counts[dimensions["operator"] ?? ""] = counter.totalValue }
    }
  }

  /// Returns the total of the counter of the streams that were made at a line of this file.
  private func received(line: Int) -> Int64? {
    metrics.counters(label: "streams_received", dimensions: [("place", "StreamReporterTests.swift:\(line)")]).first?
      .totalValue
  }

  /// Returns the last value of a gauge of the streams that were made at a line of this file.
  private func gauge(_ label: String, line: Int) -> Double? {
    metrics.recorders(label: label, dimensions: [("place", "StreamReporterTests.swift:\(line)")]).first?.lastValue
  }

  @Test func `parts are measured under the names of checkpoints`() async throws {
    let reporter = makeReporter()
    let orders = PassthroughSubject<Int, Never>()
    let open = AsyncStream.makeStream(of: Never.self)
    let stored = Collected<Int>()
    let stream =
      orders
      .buffer(bounded: 100, whenFull: .wait).checkpoint("received orders")
      .filter { $0 != 3 }
      .map(maxTasks: 1) { order in
        for await _ in open.stream {}
        return order
      }
      .checkpoint("stored orders").sink(isolation: nil) { stored.append($0) }
    let line = #line - 1
    for order in 1...5 { orders.send(order) }

    await reporter.report()
    #expect(gauge("streams_live", line: line) == 1)
    #expect(received(line: line) == 0)
    #expect(gauges("streams_parts", "received orders") == ["buffer": 1, "PassthroughSubject<Int, Never>": 1])
    #expect(gauges("streams_part_waiting", "received orders")["buffer"] == 4)
    #expect(gauges("streams_part_demand", "received orders")["buffer"] == 0)
    #expect(try #require(gauges("streams_part_most_waiting", "received orders")["buffer"]) >= 4)
    #expect(counts("streams_part_sent", "received orders")["PassthroughSubject<Int, Never>"] == 5)
    #expect(counts("streams_part_received", "stored orders") == ["filter": 1, "sink": 0])

    open.continuation.finish()
    try await wait(for: "all orders are stored") { stored.count == 4 }
    await reporter.report()
    #expect(received(line: line) == 4)
    #expect(gauges("streams_part_waiting", "received orders")["buffer"] == 0)
    #expect(counts("streams_part_received", "stored orders") == ["filter": 5, "sink": 4])
    #expect(counts("streams_part_sent", "stored orders")["filter"] == 4)
    stream.cancel()
  }

  @Test func `streams of the same place are summed up, and a part that they share counts once`() async throws {
    let reporter = makeReporter()
    let prices = PassthroughSubject<Int, Never>()
    let shared = prices.removeDuplicates().checkpoint("prices").share()
    var clients: [AnyCancellable] = []
    for _ in 0..<100 { clients.append(shared.checkpoint("clients").sink(isolation: nil) { _ in }) }
    let line = #line - 1
    for price in [1, 1, 2] { prices.send(price) }

    await reporter.report()
    #expect(gauge("streams_live", line: line) == 100)
    #expect(received(line: line) == 200)
    #expect(gauges("streams_parts", "clients")["sink"] == 100)
    #expect(counts("streams_part_received", "clients")["sink"] == 200)
    #expect(gauges("streams_parts", "prices") == ["removeDuplicates": 1, "PassthroughSubject<Int, Never>": 1])
    #expect(counts("streams_part_received", "prices") == ["removeDuplicates": 3])
    #expect(counts("streams_part_sent", "prices")["removeDuplicates"] == 2)

    for client in clients.prefix(99) { client.cancel() }
    try await report(reporter, until: "one client is left") { gauge("streams_live", line: line) == 1 }
    withExtendedLifetime(clients) {}
  }

  @Test func `the gauges of what has gone become zero and are destroyed`() async throws {
    let reporter = makeReporter()
    func subscribe(to orders: PassthroughSubject<Int, Never>) -> AnyCancellable {
      orders.checkpoint("short").sink(isolation: nil) { _ in }
    }
    let line = #line - 2
    let orders = PassthroughSubject<Int, Never>()
    let first = subscribe(to: orders)
    orders.send(1)
    await reporter.report()
    let live = try #require(
      metrics.recorders(label: "streams_live", dimensions: [("place", "StreamReporterTests.swift:\(line)")]).first)
    #expect(live.values == [1])
    #expect(counts("streams_part_received", "short") == ["sink": 1])

    first.cancel()
    try await report(reporter, until: "the gauge is zero") { live.lastValue == 0 }
    let values = live.values
    await reporter.report()
    #expect(live.values == values)
    #expect(gauge("streams_live", line: line) == nil)

    // Counters stay.
    #expect(counts("streams_part_received", "short") == ["sink": 1])
    let second = subscribe(to: orders)
    orders.send(2)
    orders.send(3)
    await reporter.report()
    #expect(gauge("streams_live", line: line) == 1)
    #expect(counts("streams_part_received", "short") == ["sink": 3])
    #expect(received(line: line) == 3)
    await reporter.report()
    #expect(received(line: line) == 3)
    second.cancel()
  }

  @Test func `a finding is logged once, and again when it comes back`() async throws {
    let reporter = makeReporter()
    func makeOrphan() -> AnyCancellable {
      PassthroughSubject<Int, Never>().checkpoint("orphan").sink(isolation: nil) { _ in }
    }
    let place = "StreamReporterTests.swift:\(#line - 2)"
    func warnings() -> [InMemoryLogHandler.Entry] {
      log.entries.filter { $0.metadata["place"] == "\(place)" && $0.metadata["kind"] == "neverAgain" }
    }
    func findings() -> Double? {
      metrics.recorders(label: "streams_findings", dimensions: [("kind", "neverAgain"), ("place", place)]).first?
        .lastValue
    }

    var orphans = [makeOrphan(), makeOrphan()]
    await reporter.report()
    await reporter.report()
    #expect(warnings().count == 1)
    #expect(warnings().first?.level == .warning)
    #expect(warnings().first?.metadata["streams"] == "2")
    #expect(findings() == 2)

    orphans = []
    try await report(reporter, until: "the finding has gone") { findings() == 0 }
    orphans = [makeOrphan()]
    await reporter.report()
    #expect(warnings().count == 2)
    #expect(warnings().last?.metadata["streams"] == "1")
    withExtendedLifetime(orphans) {}
  }

  @Test func `parts aren't read if too many streams are alive`() async throws {
    let reporter = makeReporter(maximumTrees: 1_000)
    let orders = PassthroughSubject<Int, Never>()
    func subscribe() -> AnyCancellable { orders.checkpoint("many").sink(isolation: nil) { _ in } }
    let line = #line - 1
    var streams = [subscribe()]
    await reporter.report()
    #expect(gauges("streams_parts", "many")["sink"] == 1)

    for _ in 0..<9_999 { streams.append(subscribe()) }
    await reporter.report()
    await reporter.report()
    #expect(gauge("streams_live", line: line) == 10_000)
    #expect(gauges("streams_parts", "many") == [:])
    #expect(log.entries.count { $0.level == .notice && $0.metadata["maximum"] == "1000" } == 1)

    streams.removeLast(9_999)
    try await report(reporter, until: "one stream is left") { gauge("streams_live", line: line) == 1 }
    #expect(gauges("streams_parts", "many")["sink"] == 1)
  }

  @Test func `events and findings that develop over time are logged`() async throws {
    let (reporter, log) = observing
    StreamInspector.stop()
    reporter.startInspecting()
    let orders = PassthroughSubject<Int, Never>()
    // Events of other tests may be lost, if there are more than the inspector keeps.
    try await wait(for: "earlier events are logged") {
      orders.sink(isolation: nil) { _ in }.cancel()
      return log.count(.trace, "A stream ended.", place: "StreamReporterTests.swift:\(#line - 1)") > 0
    }
    let open = AsyncStream.makeStream(of: Never.self)
    let makeStream = {
      orders.buffer(bounded: 10, whenFull: .wait).map(maxTasks: 1) { _ in for await _ in open.stream {} }
        .sink(isolation: nil) { _ in }
    }
    let place = "StreamReporterTests.swift:\(#line - 2)"
    let streams = [makeStream(), makeStream()]
    try await wait(for: "the beginnings are logged") { log.count(.trace, "A stream began.", place: place) == 2 }
    // Each stream has the problem, which is logged once until the next report.
    for order in 1...3 { orders.send(order) }
    try await wait(for: "a finding is logged") { log.count(.warning, "noDemand", place: place) > 0 }
    for stream in streams { stream.cancel() }
    open.continuation.finish()
    try await wait(for: "the ends are logged") { log.count(.trace, "A stream ended.", place: place) == 2 }
    #expect(log.count(.warning, "noDemand", place: place) == 1)
    withExtendedLifetime(reporter) {}
  }

  @Test func `a service group runs the reporter until it shuts down`() async throws {
    let reporter = makeReporter()
    let orders = PassthroughSubject<Int, Never>()
    let stream = orders.checkpoint("running").sink(isolation: nil) { _ in }
    let group = ServiceGroup(services: [reporter], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    async let ended: Void = group.run()
    for count in 1...3 {
      orders.send(count)
      try await wait(for: "\(count) values are reported") {
        counts("streams_part_received", "running")["sink"] == Int64(count)
      }
    }
    await group.triggerGracefulShutdown()
    try await ended
    stream.cancel()

    let running = Task { try await reporter.run() }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test(arguments: [false, true]) func `a stop doesn't wait for the report that is being made`(isGraceful: Bool)
    async throws
  {
    let gate = DispatchSemaphore(value: 0)
    let blocking = BlockingLogHandler(gate: gate)
    let reporter = StreamReporter(
      maximumTrees: -1, logger: Logger(label: "blocking") { _ in blocking }, metricsFactory: metrics)
    let group = ServiceGroup(services: [reporter], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await group.run() }
    try await wait(for: "a report is being made") { blocking.lines.value == 1 }
    if isGraceful {
      await group.triggerGracefulShutdown()
      try await running.value
    } else {
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.value }
    }
    gate.signal()
  }

  @Test func `reports keep no thread of the concurrency pool`() async {
    let gate = DispatchSemaphore(value: 0)
    let blocking = BlockingLogHandler(gate: gate)
    // With so few trees, each report logs a line, which waits. The pool has a thread for each processor.
    let reporters = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
      StreamReporter(
        maximumTrees: -1, logger: Logger(label: "blocking") { _ in blocking }, metricsFactory: TestMetrics())
    }
    let reports = reporters.map { reporter in Task { await reporter.report() } }
    // They run, unless reports have all threads.
    for _ in 0..<100 { await Task.detached {}.value }
    for _ in reporters { gate.signal() }
    for report in reports { await report.value }
  }

  @Test func `a stream that waits is idle before a value has entered it, and stuck after`() async throws {
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let idle = first.checkpoint("idle").sink { _ in }
    let shutdown = Future<Void, Never> { _ in }.sink { _ in }
    let pair = first.zip(second).checkpoint("pair").sink { _ in }
    var thresholds = Inspection.Thresholds()
    thresholds.silence = .zero
    func problems() -> [Inspection.Cause] {
      var sample = StreamSample()
      sample.add([idle, shutdown, pair].map { Inspection(of: $0, thresholds: thresholds) })
      return sample.problems.keys.map(\.kind)
    }
    #expect(!problems().contains(.waitsForSource))
    first.send(1)
    #expect(problems().contains(.waitsForSource))
    withExtendedLifetime(second) {}
  }
}
