import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import StreamInspection
import Streams
import StreamsInspectorPage
import TestSupport
import Testing

/// They run one after another, because they look at all streams of the process.
@Suite(.serialized, .aloneInProcess)
struct InspectorPageTests {}

// MARK: Serving

/// Serves a page while a closure runs, which gets its address.
func serve<Result: Sendable>(
  port: Int = 0, _ names: Set<String> = [], lints: Inspection.Thresholds? = nil,
  _ body: @escaping @Sendable (String) async throws -> Result
) async throws -> Result {
  try await serve(
    { logger, onRunning in
      InspectorPage(port: port, reachableAs: names, lints: lints, logger: logger, onServerRunning: onRunning)
    }, body)
}

/// Runs a service with a server while a closure runs, which gets its address.
func serve<Result: Sendable>(
  _ makeService: (Logger, @escaping @Sendable (any Channel) async -> Void) -> any Service,
  _ body: @escaping @Sendable (String) async throws -> Result
) async throws -> Result {
  let (ports, continuation) = AsyncStream<Int>.makeStream()
  var logger = Logger(label: "page")
  logger.logLevel = .critical
  let service = makeService(logger) { continuation.yield($0.localAddress?.port ?? 0) }
  let group = ServiceGroup(services: [service], logger: logger)
  return try await withThrowingTaskGroup(of: Result?.self) { tasks in
    tasks.addTask {
      // A server that can't begin ends the wait for its port.
      defer { continuation.finish() }
      try await group.run()
      return nil
    }
    tasks.addTask {
      guard let port = await ports.first(where: { _ in true }) else { return nil }
      do {
        let result = try await body("http://127.0.0.1:\(port)/")
        await group.triggerGracefulShutdown()
        return result
      } catch {
        await group.triggerGracefulShutdown()
        throw error
      }
    }
    var result: Result?
    for try await one in tasks { result = one ?? result }
    return try #require(result)
  }
}

// MARK: Requests

/// Sends a request, and returns the response with its body unless that's a stream of events.
func respond(
  to address: String, method: String = "GET", body: String? = nil, _ headers: [(String, String)] = []
) async throws -> (status: UInt, headers: HTTPHeaders, text: String) {
  var request = HTTPClientRequest(url: address)
  request.method = .RAW(value: method)
  request.headers = HTTPHeaders(headers)
  if let body { request.body = .bytes(ByteBuffer(string: body)) }
  let response = try await HTTPClient.shared.execute(request, timeout: .minutes(1))
  var text = ""
  if response.headers["Content-Type"] != ["text/event-stream"] {
    text = String(buffer: try await response.body.collect(upTo: 1 << 20))
  }
  return (response.status.code, response.headers, text)
}

/// The events that a page receives, and what it says it shows.
final class EventReader {
  private var chunks: HTTPClientResponse.Body.AsyncIterator
  private var text = ""
  private(set) var session = ""
  private let address: String
  private var version = 0
  /// The size of the largest event.
  private(set) var largest = 0

  init(_ address: String, client: HTTPClient = .shared) async throws {
    self.address = address
    let response = try await client.execute(HTTPClientRequest(url: address + "events"), timeout: .minutes(2))
    try #require(response.status == .ok)
    chunks = response.body.makeAsyncIterator()
    session = try await next("session", as: [String: String].self)["session"] ?? ""
  }

  /// The next event with a name.
  func next<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) async throws -> Value {
    while true {
      while let end = text.range(of: "\n\n") {
        let lines = text[..<end.lowerBound].split(separator: "\n")
        text.removeSubrange(..<end.upperBound)
        largest = max(largest, lines.map(\.utf8.count).max() ?? 0)
        guard lines.contains("event: \(name)"), let data = lines.first(where: { $0.hasPrefix("data: ") }) else {
          continue
        }
        return try JSONDecoder().decode(Value.self, from: Data(data.dropFirst(6).utf8))
      }
      guard let chunk = try await chunks.next() else { throw CancellationError() }
      text += String(buffer: chunk)
    }
  }

  /// The first event with a name that fits.
  func first<Value: Decodable>(_ name: String, where isWanted: (Value) -> Bool) async throws -> Value {
    while true {
      let value: Value = try await next(name)
      if isWanted(value) { return value }
    }
  }

  /// Changes what the page shows.
  func show(
    _ rows: Range<Int>, filter: String = "", expanded: [String] = [], open: String? = nil, mark: Int? = nil,
    isChangedOnly: Bool = false
  ) async throws -> UInt {
    version += 1
    var view: [String: Any] = [
      "version": version, "filter": filter, "order": "count", "isChangedOnly": isChangedOnly, "expanded": expanded,
      "rows": ["start": rows.lowerBound, "count": rows.count],
      "screen": ["start": rows.lowerBound, "count": rows.count],
    ]
    view["open"] = open
    view["mark"] = mark
    let body = String(decoding: try JSONSerialization.data(withJSONObject: view), as: UTF8.self)
    return try await respond(
      to: "\(address)views/\(session)", method: "POST", body: body, [("Content-Type", "application/json")]
    ).status
  }

  /// The rows for the view that was set last.
  func rows() async throws -> RowsEvent { try await first("rows") { $0.version == self.version } }
}

struct SummaryEvent: Decodable {
  struct Mark: Decodable { let id: Int, change: Change }
  struct Change: Decodable { let began: Int, ended: Int, received: Int }
  struct Finding: Decodable { let kind: String, text: String }
  let version: Int, streams: Int, places: Int, isObserving: Bool
  let rate: Double?
  let mark: Mark?
  let findings: [Finding]
  let snapshotTime: Double, renderTime: Double, trees: Int, treeTime: Double
}

struct RowsEvent: Decodable {
  struct Row: Decodable {
    let key: String, received: Int
    let place: String?, stream: String?, name: String?, text: String?
    let count: Int?, waiting: Int?, findings: Int?
    let change: SummaryEvent.Change?
  }
  let version: Int, total: Int
  let rows: [Int: Row]

  var inOrder: [Row] { rows.sorted { $0.key < $1.key }.map(\.value) }
}

struct TreeEvent: Decodable {
  let key: String, hasEnded: Bool
  let inspection: Inspection?
}

// MARK: By hand

extension InspectorPageTests {
  @Test(.enabled(if: ProcessInfo.processInfo.environment["INSPECTOR_DEMO"] != nil, "it serves until it's stopped"))
  func `a demo is served at port 7070`() async throws {
    let count = Int(ProcessInfo.processInfo.environment["INSPECTOR_DEMO"] ?? "") ?? 0
    StreamInspector.start()
    let demo = DemoStreams()
    if count > 0 { demo.beginThree() }
    demo.beginCrowd(count > 3 ? count - 3 : 0)
    async let page: Void = InspectorPage(port: 7070).run()
    var number = 0
    while !Task.isCancelled {
      number += 1
      demo.send(number)
      try await Task.sleep(for: .milliseconds(50))
      if number % 20 == 0, count > 3 {
        demo.end(3)
        demo.beginCrowd(5)
      }
    }
    try await page
  }
}
