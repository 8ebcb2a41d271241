import Dispatch
import InMemoryLogging
import InMemoryTracing
import Logging
import ServiceContextModule
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import StreamsObservability
import TestSupport
import Testing
import Tracing

@Suite(.aloneInProcess)
struct ContextTests {
  let tracer = InMemoryTracer()

  init() {
    StreamContext.carryServiceContext()
    StreamContext.carryLogger()
  }

  /// Returns the names of the spans that are children of another one.
  func children(of parent: String) -> [String] {
    let spans = tracer.finishedSpans
    let parents = spans.filter { $0.operationName == parent }.map(\.spanID)
    return spans.filter { span in parents.contains { $0 == span.parentSpanID } }.map(\.operationName)
  }

  @Test func `spans and log lines belong to the request that sent the value`() async throws {
    let (logger, log) = makeLogger()
    let tracer = tracer
    let orders = PassthroughSubject<Int, Never>()
    let booked = Collected<Int>()
    let stream =
      orders
      .buffer(bounded: 1_000, whenFull: .cancel)
      .receive(on: DispatchQueue(label: "orders"), bounded: 1_000, whenFull: .cancel)
      .map(maxTasks: 4) { order in
        await tracer.withSpan("store \(order)") { _ in
          await Task.yield()
          return order
        }
      }
      .receive(on: DispatchQueue(label: "booked"))
      .sink(isolation: nil) { order in
        tracer.withSpan("book \(order)") { _ in logger.info("booked \(order)") }
        booked.append(order)
      }

    // Two requests, whose values come in turn.
    let requests = ["even", "odd"].map { tracer.startSpan($0, context: .topLevel) }
    for order in 0..<200 {
      ServiceContext.withValue(requests[order % 2].context) { orders.send(order) }
    }
    for request in requests { request.end() }
    try await wait(for: "all orders are booked") { booked.count == 200 }
    stream.cancel()

    for (remainder, name) in ["even", "odd"].enumerated() {
      let own = (0..<200).filter { $0 % 2 == remainder }
      #expect(children(of: name).sorted() == own.flatMap { ["store \($0)", "book \($0)"] }.sorted())
      let traceID = requests[remainder].traceID
      let lines = log.entries.filter { $0.metadata["trace"] == "\(traceID)" }.map { "\($0.message)" }
      #expect(lines == own.map { "booked \($0)" })
    }
    #expect(booked.values == Array(0..<200))
  }

  @Test func `a delayed value has its context, and one without a context has none`() {
    let scheduler = DispatchQueue.test
    let numbers = PassthroughSubject<Int, Never>()
    let seen = scheduler.record(
      numbers.delay(for: .seconds(1), scheduler: scheduler).map { _ in
        ServiceContext.current?.inMemorySpanContext?.spanID ?? "none"
      })
    let span = tracer.startSpan("request", context: .topLevel)
    ServiceContext.withValue(span.context) { numbers.send(1) }
    numbers.send(2)
    scheduler.advance(by: .seconds(1))
    seen.expect(values: [span.spanID, "none"])
  }

  @Test func `the logger of the sender follows its values`() {
    let scheduler = DispatchQueue.test
    let numbers = PassthroughSubject<Int, Never>()
    let seen = scheduler.record(
      numbers.receive(on: scheduler).map { _ in "\(Logger.current[metadataKey: "request"] ?? "none")" })
    withLogger(mergingMetadata: ["request": "1"]) { _ in numbers.send(1) }
    withLogger(mergingMetadata: ["request": "2"]) { _ in numbers.send(2) }
    numbers.send(3)
    scheduler.advance()
    seen.expect(values: ["1", "2", "none"])
  }

  @Test func `each value is delivered in a span of its own`() async throws {
    let tracer = tracer
    let orders = PassthroughSubject<Int, Never>()
    let stored = Collected<Int>()
    let stream = orders.receive(on: DispatchQueue(label: "orders"))
      .traced("handle", ofKind: .consumer, tracer: tracer) { $0.attributes["order"] = Int64($1) }
      .buffer(bounded: 100, whenFull: .cancel)
      .map(maxTasks: 2) { order in tracer.withSpan("store") { _ in order } }
      .sink(isolation: nil) { stored.append($0) }
    let request = tracer.startSpan("request", context: .topLevel)
    ServiceContext.withValue(request.context) { for order in 1...3 { orders.send(order) } }
    request.end()
    try await wait(for: "all orders are stored") { stored.count == 3 }
    stream.cancel()

    let spans = tracer.finishedSpans.filter { $0.operationName == "handle" }
    #expect(spans.map { $0.attributes.get("order") } == [.int64(1), .int64(2), .int64(3)])
    #expect(spans.allSatisfy { $0.parentSpanID == request.spanID && $0.kind == .consumer })
    #expect(children(of: "handle") == ["store", "store", "store"])
  }

  @Test func `traced passes demand and the end through`() {
    let scheduler = DispatchQueue.test
    let recorder = scheduler.record([1, 2, 3].publisher.traced("handle", tracer: tracer), demand: .max(2))
    recorder.expect(values: [1, 2])
    #expect(recorder.completion == nil)
    recorder.request(.unlimited)
    recorder.expect(values: [1, 2, 3])
    #expect(recorder.completion == .finished)
    #expect(tracer.finishedSpans.count == 3)
    #expect(tracer.activeSpans.isEmpty)

    struct Broken: Error {}
    let failing = scheduler.record(Fail<Int, Broken>(error: Broken()).traced("handle", tracer: tracer))
    #expect(failing.completion != nil)
    #expect(tracer.finishedSpans.count == 3)
  }
}
