import AsyncHTTPClient
import Foundation
import NIOCore
import StreamAlgorithms
import StreamInspection
import Streams
import TestSupport
import Testing

extension InspectorPageTests {
  @Test func `streams are listed by place, with their numbers and what they wait for`() async throws {
    try await serve { address in
      let (orders, payments) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let line = #line + 1
      let streams = (0..<3).map { _ in orders.sink(isolation: nil) { _ in } }
      let zip = orders.zip(payments).sink(isolation: nil) { _ in }
      for value in 0..<4 { orders.send(value) }

      let reader = try await EventReader(address)
      _ = try await reader.show(0..<50)
      var list = try await reader.rows()
      #expect(list.total == 2)
      #expect(list.inOrder.map(\.count) == [3, 1] && list.inOrder.map(\.received) == [12, 0])
      #expect(list.inOrder.map(\.place) == ["StreamListTests.swift:\(line)", "StreamListTests.swift:\(line + 1)"])
      // A place with one stream shows what that waits for. Others aren't read.
      #expect(list.inOrder[0].text == nil)
      #expect(list.inOrder[1].text?.contains("is waiting for its right source") == true)

      _ = try await reader.show(0..<50, expanded: ["StreamListTests.swift:\(line)"])
      list = try await reader.rows()
      #expect(list.total == 5)
      #expect(list.inOrder[1...3].map(\.received) == [4, 4, 4])
      #expect(list.inOrder[1...3].allSatisfy { $0.text?.contains("4 values delivered") == true })

      _ = try await reader.show(0..<50, filter: "TESTS.swift:\(line + 1)")
      #expect(try await reader.rows().inOrder.map(\.count) == [1])
      _ = try await reader.show(0..<50, filter: "nowhere")
      #expect(try await reader.rows().total == 0)
      withExtendedLifetime(streams) { zip.cancel() }
    }
  }

  @Test func `the tree of an open stream is sent until it ends`() async throws {
    try await serve { address in
      let (orders, payments) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let stream = orders.buffer(bounded: 8, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { _ in payments }.sink(isolation: nil) { _ in }
      for value in 0..<5 { orders.send(value) }
      let reader = try await EventReader(address)
      _ = try await reader.show(0..<50)
      let key = try #require(try await reader.rows().inOrder.first?.stream)
      _ = try await reader.show(0..<50, open: key)
      let tree: TreeEvent = try await reader.next("tree")
      let inspection = try #require(tree.inspection)
      #expect(tree.key == key && !tree.hasEnded)
      let buffer = try #require(inspection.parts.first { $0.name == "buffer" })
      #expect(buffer.waiting == 4 && buffer.bound == 8)
      stream.cancel()
      let ended: TreeEvent = try await reader.first("tree") { $0.hasEnded }
      #expect(ended.key == key)
    }
  }

  @Test func `what began, ended and grew since a mark is told by place`() async throws {
    try await serve { address in
      let orders = PassthroughSubject<Int, Never>()
      var first = (0..<4).map { _ in orders.sink(isolation: nil) { _ in } }
      orders.send(1)
      let reader = try await EventReader(address)
      let (status, _, text) = try await respond(
        to: address + "marks", method: "POST", body: "{}", [("Content-Type", "application/json")])
      #expect(status == 201)
      let mark = try #require(Int(text))
      first.removeLast(3)
      let second = (0..<2).map { _ in orders.sink(isolation: nil) { _ in } }
      orders.send(2)
      orders.send(3)
      _ = try await reader.show(0..<50, mark: mark)
      let summary: SummaryEvent = try await reader.first("summary") { $0.mark?.change.began == 2 }
      #expect(summary.mark?.id == mark && summary.mark?.change.ended == 3 && summary.mark?.change.received == 6)
      let list = try await reader.rows()
      #expect(list.inOrder.map { $0.change?.began } == [2, 0])
      #expect(list.inOrder.map { $0.change?.ended } == [0, 3])
      #expect(list.inOrder.map { $0.change?.received } == [4, 2])

      // A place all of whose streams have ended stays in the list.
      first = []
      let place = try #require(list.inOrder.last?.place)
      repeat {
        _ = try await reader.show(0..<50, filter: place, mark: mark, isChangedOnly: true)
      } while try await reader.rows().inOrder.first?.count != 0
      _ = second
    }
  }

  @Test func `findings come in words while a page is open`() async throws {
    var thresholds = Inspection.Thresholds()
    thresholds.withoutDemand = .milliseconds(1)
    let lints = thresholds
    try await serve(lints: lints) { address in
      let (orders, payments) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let stream = orders.buffer(bounded: 8, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { _ in payments }.sink(isolation: nil) { _ in }
      for value in 0..<5 { orders.send(value) }
      // This one isn't kept.
      _ = orders.sink(isolation: nil) { _ in }
      let reader = try await EventReader(address)
      let summary: SummaryEvent = try await reader.first("summary") { summary in
        Set(summary.findings.map(\.kind)).isSuperset(of: ["noDemand", "ended"])
      }
      #expect(summary.findings.contains { $0.text.contains("4 values are waiting") }, "\(summary.findings)")
      stream.cancel()
    }
  }

  @Test func `ten thousand streams are read in bounded time and sent in bounded pages`() async throws {
    try await serve { address in
      let demo = DemoStreams()
      demo.beginCrowd(10_000)
      let reader = try await EventReader(address)
      _ = try await reader.show(0..<50)
      let place = try #require(
        try await reader.first("rows") { (rows: RowsEvent) in rows.total > 0 }.inOrder.first?.place)
      _ = try await reader.show(3_000..<1_000_000, expanded: [place], open: "p" + place)
      let list = try await reader.rows()
      #expect(list.total > 6_000 && list.rows.count == 200 && list.rows.keys.min() == 3_000)
      var summaries: [SummaryEvent] = []
      while summaries.count < 5 {
        demo.send(summaries.count)
        let summary: SummaryEvent = try await reader.first("summary") { $0.streams == 10_000 }
        summaries.append(summary)
      }
      // Sixty rows on screen, and a sample of fifty.
      #expect(summaries.allSatisfy { $0.trees <= 110 && $0.trees > 0 })
      // Before the budget of 50 ms is used up, one more tree may have been begun.
      #expect(summaries.allSatisfy { $0.treeTime < 1_000 })
      let snapshot = summaries.map(\.snapshotTime).sorted()[2]
      #expect(snapshot < 2_000)
      #expect(reader.largest < 128 << 10)
      print(
        "10,000 streams: read in \(snapshot) ms, \(summaries[4].trees) trees in \(summaries[4].treeTime) ms, "
          + "a page drawn up in \(summaries[4].renderTime) ms, the largest event has \(reader.largest / 1_024) KB")
      demo.end(10_000)
    }
  }

  @Test func `pages that leave make room for others`() async throws {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 40
    let client = HTTPClient(configuration: configuration)
    defer { client.shutdown { _ in } }
    try await serve { address in
      // Tasks that end their connections when they're cancelled.
      let pages = try await withThrowingTaskGroup(of: Void.self) { group in
        let (opened, continuation) = AsyncStream<Void>.makeStream()
        for _ in 0..<32 {
          group.addTask {
            let reader = try await EventReader(address, client: client)
            continuation.yield()
            let _: [String: String]? = try? await reader.next("never")
          }
        }
        var count = 0
        for await _ in opened {
          count += 1
          if count == 32 { break }
        }
        let first = try await Self.firstEvent(of: address)
        #expect(first.contains("event: refused") && first.contains("32 pages are open"))
        group.cancelAll()
        return count
      }
      #expect(pages == 32)
      try await wait(for: "a page may open again") { try await Self.firstEvent(of: address).contains("event: session") }
    }
  }

  private static func firstEvent(of address: String) async throws -> String {
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: address + "events"), timeout: .minutes(1))
    for try await chunk in response.body { return String(buffer: chunk) }
    return ""
  }

  @Test func `a stream that receives values isn't said to wait between them`() async throws {
    try await serve { address in
      let orders = PassthroughSubject<Int, Never>()
      let stream = orders.sink(isolation: nil) { _ in }
      let reader = try await EventReader(address)
      _ = try await reader.show(0..<50)
      var texts: [String?] = [try await reader.rows().inOrder.first?.text]
      #expect(texts[0] != "Receives values.")
      while texts.last != "Receives values.", texts.count < 100 {
        texts.append(try await reader.rows().inOrder.first?.text)
        orders.send(1)
      }
      #expect(texts.last == "Receives values.")
      stream.cancel()
    }
  }

  @Test func `a stream has the name that the program has given it upstream of its place's`() async throws {
    try await serve { address in
      let orders = PassthroughSubject<Int, Never>()
      let streams = ["Ada", "Bob"].map { name in
        orders.checkpoint("client \(name)").checkpoint("GET /orders").sink(isolation: nil) { _ in }
      }
      let reader = try await EventReader(address)
      _ = try await reader.show(0..<50)
      let place = try #require(try await reader.rows().inOrder.first?.place)
      #expect(place.hasPrefix("GET /orders · StreamListTests.swift"))
      _ = try await reader.show(0..<50, expanded: [place])
      // Trees are read as far as there's time. Others follow with the next rows.
      var names: [Int: String] = [:]
      while names.count < 2 { for (index, row) in try await reader.rows().rows { names[index] = row.name } }
      #expect(Set(names.values) == ["client Ada", "client Bob"])
      withExtendedLifetime(streams) {}
    }
  }

  @Test func `a shutdown ends the events of an open page`() async throws {
    let reader = try await serve { address in
      let reader = try await EventReader(address)
      let _: SummaryEvent = try await reader.next("summary")
      nonisolated(unsafe) let result = reader
      return Handed(reader: result)
    }
    await #expect(throws: (any Error).self) { let _: [String: String] = try await reader.reader.next("never") }
  }
}

/// A reader that its task doesn't use any more.
private struct Handed: @unchecked Sendable { let reader: EventReader }
