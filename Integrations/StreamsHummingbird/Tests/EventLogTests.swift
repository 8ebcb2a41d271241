import Hummingbird
import NIOCore
import StreamAlgorithms
import StreamTesting
import Streams
import StreamsHummingbird
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .aloneInProcess)
struct EventLogTests {
  @Test func `clients that resume while events are added miss nothing, get nothing twice, and learn of each gap`()
    async throws
  {
    // Ten thousand with STREAMS_MESSAGES=4000000.
    let resumes = max(400, ProcessEnvironment.messages / 400)
    let clients = 8
    // What is added in forty seconds, so that no client comes too late because the machine is busy.
    let capacity = 40_000
    let events = NumberedEvents(capacity: capacity)
    for _ in 0...capacity { events.add() }
    let log = events.log
    let router = Router(context: ChannelContext.self)
    router.get("events") { request, context in
      try await Response.serverSentEvents(to: request, from: log, context: context)
    }
    let gaps = Counter()
    try await TestServer.run(router) { server in
      let publishing = Task {
        while !Task.isCancelled {
          // About a thousand events each second.
          for _ in 0..<4 { events.add() }
          try await Task.sleep(for: .milliseconds(4))
        }
      }
      try await withThrowingTaskGroup { group in
        for client in 0..<clients {
          group.addTask {
            var last: LoggedEvent?
            for round in 0..<resumes / clients {
              // Every tenth one comes back after the log has dropped its next event.
              let late = (round + client) % 10 == 0 ? last.map { "\(log.identity).\($0.index - capacity - 1)" } : nil
              var received = try await server.events(
                "events", after: late ?? last?.id, count: 2 + (round + client) % 5)
              if late != nil {
                #expect(received[0].isGap)
                gaps.increment()
                last = received.removeFirst()
              }
              for event in received {
                if let last { #expect(event.index == last.index + 1, "\(event) came after \(last)") }
                #expect(event.data == "\(event.index)" && !event.isGap)
                last = event
              }
              // It's at the old end of the log now, so it begins anew.
              if late != nil { last = nil }
            }
          }
        }
        try await group.waitForAll()
      }
      publishing.cancel()
    }
    print("\(resumes) resumes among \(events.count) events; \(gaps.value) gaps.")
  }

  @Test func `a new client gets the latest events, and a client of another log a gap`() async throws {
    let log = MemoryEventLog(capacity: 3)
    for number in 0..<5 { log.append(ServerSentEvent(data: "\(number)", event: "count", id: "ignored")) }
    let router = Router()
    router.get("latest") { request, _ in try await Response.serverSentEvents(to: request, from: log, latest: 2) }
    router.get("new") { request, _ in
      try await Response.serverSentEvents(
        to: request, from: log, gap: ServerSentEvent(data: "some are missing", event: "gap", retry: .seconds(1)))
    }
    try await TestServer.run(router) { server in
      let latest = try await server.events("latest", count: 2)
      #expect(latest.map(\.data) == ["3", "4"])
      let id = try #require(latest.first?.id)
      #expect(id == "\(log.identity).3")
      for unknown in ["former.3", "3", "\(log.identity).99", "\(log.identity).x"] {
        let events = try await server.events("new", after: unknown, count: 4)
        #expect(events.map(\.data) == ["some are missing", "2", "3", "4"], "\(unknown)")
        #expect(events.first?.id == "\(log.identity).1")
      }
      let resumed = try await server.events("new", after: id, count: 1)
      #expect(resumed.map(\.data) == ["4"])
      log.append(ServerSentEvent(data: "5"))
      // The client that has got the gap goes on behind it, without another one.
      let afterGap = try await server.events("new", after: "\(log.identity).2", count: 3)
      #expect(afterGap.map(\.data) == ["3", "4", "5"])
    }
  }

  @Test func `a client that reads slowly is told what it has missed, and nobody waits for it`() async throws {
    let log = MemoryEventLog(capacity: 8)
    let router = Router(context: ChannelContext.self)
    let responses = Counter()
    router.get("events") { request, context in
      let response = try await Response.serverSentEvents(to: request, from: log, context: context)
      responses.increment()
      return response
    }
    let text = String(repeating: "x", count: 1 << 16)
    let count = 1_000
    try await TestServer.run(router) { server in
      try await server.connect(sending: "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") { client in
        try await wait(for: "the client has a place in the log") { responses.value == 1 }
        // 65 MB, of which a connection keeps a few.
        for _ in 1..<count { log.append(ServerSentEvent(data: text)) }
        log.append(ServerSentEvent(data: "last"))
        log.finish()
        var end = ""
        var received = 0
        var hasGap = false
        for try await part in client.inbound {
          received += part.readableBytes
          end = end.suffix(64) + String(buffer: part)
          hasGap = hasGap || end.contains("event: gap")
          if end.hasSuffix("0\r\n\r\n") { break }
        }
        #expect(hasGap)
        #expect(end.contains("data: last\n\n"))
        #expect(received < count * text.utf8.count / 2)
      }
    }
  }

  @Test func `the end of a log ends the responses after its events`() async throws {
    let log = MemoryEventLog(capacity: 300)
    for number in 0..<300 { log.append(ServerSentEvent(data: "\(number)")) }
    log.finish()
    let router = Router()
    router.get("all") { request, _ in try await Response.serverSentEvents(to: request, from: log, latest: .max) }
    try await TestServer.run(router) { server in
      let events = try await server.events("all", count: .max)
      #expect(events.map(\.data) == (0..<300).map { "\($0)" })
    }
  }

  @Test func `an error of the log ends the response after the events before`() async throws {
    struct FailingLog: EventLog {
      let identity = "failing"
      var additions: AnySendablePublisher<Void, any Error> {
        AnySendablePublisher { Empty(completeImmediately: false) }
      }
      func read(from index: Int, limit: Int) async throws -> EventLogPage {
        if index == 1 { throw Broken() }
        let entry = EventLogPage.Entry(index: 0, event: ServerSentEvent(data: "0"))
        return EventLogPage(indexes: 0..<2, entries: limit == 0 ? [] : [entry])
      }
    }
    let router = Router()
    router.get("events") { request, _ in
      try await Response.serverSentEvents(to: request, from: FailingLog(), latest: .max)
    }
    try await TestServer.run(router) { server in
      let received = Mutex<[String]>([])
      await #expect(throws: (any Error).self) {
        try await server.readEvents("events") { event in
          received.withLock { $0.append(event.data) }
          return true
        }
      }
      #expect(received.withLock { $0 } == ["0"])
    }
  }
}

/// A log whose events have their index as data.
private final class NumberedEvents: Sendable {
  let log: MemoryEventLog
  private let added = Mutex(0)

  init(capacity: Int) { log = MemoryEventLog(capacity: capacity) }

  var count: Int { added.withLock { $0 } }

  func add() {
    added.withLock { added in
      log.append(ServerSentEvent(data: "\(added)"))
      added += 1
    }
  }
}
