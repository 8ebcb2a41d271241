import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StreamsHummingbird
import Testing

/// An event of a log, as a client has received it.
struct LoggedEvent: CustomStringConvertible, Sendable {
  private var fields: [Substring: String] = [:]

  init(_ text: Substring) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      fields[parts[0]] = parts.last.map { String($0.dropFirst()) }
    }
  }

  var id: String { fields["id"] ?? "" }
  var data: String { fields["data"] ?? "" }
  var isGap: Bool { fields["event"] == "gap" }
  var index: Int { id.split(separator: ".").last.flatMap { Int($0) } ?? .min }
  var description: String { "\(fields)" }
}

extension TestServer {
  /// Receives a number of events, or all until the end, then closes the connection.
  func events(_ path: String, after id: String? = nil, count: Int) async throws -> [LoggedEvent] {
    var events: [LoggedEvent] = []
    try await readEvents(path, after: id) { event in
      events.append(event)
      return events.count < count
    }
    return events
  }

  /// Calls a closure with each event, until it returns `false`.
  func readEvents(_ path: String, after id: String? = nil, _ receive: (LoggedEvent) -> Bool) async throws {
    var request = HTTPClientRequest(url: url(path))
    if let id { request.headers.add(name: "Last-Event-ID", value: id) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    #expect(response.headers["content-type"] == ["text/event-stream"])
    var text = ""
    for try await part in response.body {
      text += String(buffer: part)
      var events = text.split(separator: "\n\n", omittingEmptySubsequences: false)
      let rest = events.removeLast()
      for event in events where !receive(LoggedEvent(event)) { return }
      text = String(rest)
    }
  }
}
