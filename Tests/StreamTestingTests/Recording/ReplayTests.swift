import Dispatch
import Foundation
import StreamFoundation
import StreamTesting
import Testing

@Suite(.ownThread)
struct ReplayTests {
  private let scheduler = DispatchQueue.test
  private let recording = RecordingFile()

  private static let header = #"{"format":"stream-timeline","version":1}"#

  private struct Point: Codable, Equatable {
    var name: String
    var position: [Double?]
  }

  /// Writes a file by hand: the first line, and those of events.
  private func write(_ lines: String..., end: String = "\n") throws {
    try recording.write(([Self.header] + lines).joined(separator: "\n") + end)
  }

  /// The error with which a replay is refused, without the path of the file.
  private func refusal<Value>(_ replay: () throws(ReplayError) -> Value) -> String? {
    do throws(ReplayError) {
      _ = try replay()
      return nil
    } catch {
      return error.description.replacing(" " + recording.url.path, with: "")
    }
  }

  private func values() -> String? {
    refusal { () throws(ReplayError) in try scheduler.cold(replaying: recording.url, of: Int.self) }
  }

  // MARK: Round trips

  @Test func `values, ties and the completion have their times in a replay`() throws {
    let source = scheduler.cold(
      .next(at: 0, "a"), .next(at: .milliseconds(120), "b"), .next(at: .milliseconds(120), "c\n\"🧵\""),
      .next(at: .nanoseconds(120_000_001), ""), .completed(at: 3))
    scheduler.advance(by: 5)
    let original = scheduler.record(source.recordTimeline(to: recording.url, using: scheduler))
    scheduler.run()

    let cold = try scheduler.cold(replaying: recording.url, of: String.self)
    #expect(cold.events == source.events)

    scheduler.advance(by: 2)
    let hot = try scheduler.hot(replaying: recording.url, of: String.self)
    let replayed = scheduler.record(hot)
    scheduler.run()
    // The original began at 5 s, and the replay at 10 s.
    #expect(replayed.events.map(\.event) == original.events.map(\.event))
    #expect(replayed.events.map(\.time) == original.events.map { $0.time + 5 })
    #expect(hot.subscriptions == [.completed(10, 13)])
  }

  @Test func `values of all kinds are replayed as they were`() throws {
    func replayed<Value: Codable & Equatable>(_ values: [Value]) throws -> Bool {
      _ = log(values.publisher.recordTimeline(to: recording.url, using: scheduler))
      let events = try scheduler.cold(replaying: recording.url, of: Value.self).events
      return events == values.map { .next(at: 0, $0) } + [.completed(at: 0)]
    }
    #expect(try replayed([1, nil, Int.min, .max]))
    #expect(try replayed([0.1, -.infinity, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]))
    #expect(try replayed([Point(name: "\u{2028}/\\", position: [nil, 1, -0.5]), Point(name: "", position: [])]))
    #expect(try replayed([["a": [Date(timeIntervalSinceReferenceDate: 0.1)]], [:]]))
    #expect(try replayed([Data([0, 255, 10])]))
    let nan = [Double.nan].publisher.recordTimeline(to: recording.url, using: scheduler)
    _ = log(nan)
    let event = try scheduler.cold(replaying: recording.url, of: Double.self).events[0].event
    #expect("\(event)" == "nan")
  }

  @Test func `a failure is replayed from its encoding, or by a closure from its text`() throws {
    let source = scheduler.cold(.next(at: 1, 7), .failure(at: 2, TestError.second))
    let original = scheduler.record(source.recordTimeline(to: recording.url, using: scheduler))
    scheduler.run()
    #expect(original.events == source.events)

    let cold = try scheduler.cold(replaying: recording.url, of: Int.self, failingWith: TestError.self)
    #expect(cold.events == source.events)
    let hot = try scheduler.hot(replaying: recording.url, of: Int.self, failingWith: TestError.self)
    #expect(hot.events == [.next(at: 3, 7), .failure(at: 4, .second)])
    let made = try scheduler.hot(replaying: recording.url, of: Int.self) { Refusal(text: $0) }
    #expect(made.events == [.next(at: 3, 7), .failure(at: 4, Refusal(text: "second"))])
    let other = try scheduler.cold(replaying: recording.url, of: Int.self) { _ in TestFailure() }
    #expect(other.events == [.next(at: 1, 7), .failure(at: 2, TestFailure())])

    let line = "Line 4 of the recording: "
    #expect(
      values()
        == line + "The stream failed: second. To replay that, pass the failure's type as failingWith:, or a closure.")
    #expect(
      refusal { () throws(ReplayError) in
        try scheduler.cold(replaying: recording.url, of: Int.self, failingWith: CodableFailure.self)
      }?.hasPrefix(line + "The failure is not of type CodableFailure, or not encoded: second. ") == true)
  }

  private struct CodableFailure: Error, Codable { let reason: String }
  private struct Refusal: Error, Equatable { let text: String }

  @Test func `a recording that was cancelled neither finishes nor sends more`() throws {
    let source = scheduler.hot(.next(at: 1, "a"), .next(at: 3, "b"), .completed(at: 4))
    let original = scheduler.record(source.recordTimeline(to: recording.url, using: scheduler))
    scheduler.advance(by: 2)
    original.cancel()
    #expect(try recording.lines.last == #"{"event":"cancelled","subscription":1,"time":2000000000}"#)
    let replayed = scheduler.record(try scheduler.cold(replaying: recording.url, of: String.self))
    scheduler.run()
    #expect(replayed.history == [.subscription(at: 2), .next(at: 3, "a")])
    replayed.cancel()
  }

  @Test func `each subscription is replayed by its number`() throws {
    let subject = PassthroughSubject<Int, Never>()
    let publisher = subject.recordTimeline(to: recording.url, using: scheduler)
    let (one, other) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    publisher.subscribe(one)
    scheduler.at(1) { publisher.subscribe(other) }
    scheduler.at(2) { subject.send(7) }
    scheduler.run()
    one.cancel()
    subject.send(completion: .finished)
    other.cancel()
    #expect(try scheduler.cold(replaying: recording.url, of: Int.self).events == [.next(at: 2, 7)])
    #expect(
      try scheduler.cold(replaying: recording.url, of: Int.self, subscription: 2).events
        == [.next(at: 1, 7), .completed(at: 1)])
    #expect(
      refusal { () throws(ReplayError) in
        try scheduler.hot(replaying: recording.url, of: Int.self, subscription: 3)
      } == "The recording has no subscription 3; it has 1, 2.")
  }

  @Test func `redacted values are replayed`() throws {
    _ = log(["ada"].publisher.recordTimeline(to: recording.url, using: scheduler, redacting: \.count))
    #expect(try scheduler.cold(replaying: recording.url, of: Int.self).events == [.next(at: 0, 3), .completed(at: 0)])
  }

  @Test func `a recording that reached its limit is replayed up to there`() throws {
    _ = log([1, 2, 3].publisher.recordTimeline(to: recording.url, limit: .events(3), using: scheduler))
    #expect(try scheduler.cold(replaying: recording.url, of: Int.self).events == [.next(at: 0, 1), .next(at: 0, 2)])
  }

  @Test func `a clock that was set back does not change the order`() throws {
    try write(
      #"{"event":"value","subscription":1,"time":5,"value":1}"#,
      #"{"event":"value","subscription":1,"time":-3,"value":2}"#)
    #expect(
      try scheduler.cold(replaying: recording.url, of: Int.self).events
        == [.next(at: .nanoseconds(5), 1), .next(at: .nanoseconds(5), 2)])
  }

  // MARK: Files

  @Test func `a file is readable wherever a crash has cut it`() throws {
    let source = scheduler.cold(.next(at: 1, "ä"), .next(at: 1, "b"), .completed(at: 2))
    let recorder = scheduler.record(source.recordTimeline(to: recording.url, using: scheduler))
    scheduler.run()
    recorder.cancel()
    let bytes = try Data(contentsOf: recording.url)
    let lines = try recording.allLines
    // The event's line without its line feed is complete.
    let ends = lines.indices.map { lines[...$0].joined(separator: "\n").utf8.count }
    for count in 0..<bytes.count {
      try bytes.prefix(count).write(to: recording.url)
      let complete = ends.prefix { $0 <= count }.count
      let refusal = refusal { () throws(ReplayError) in
        let events = try scheduler.cold(replaying: recording.url, of: String.self).events
        #expect(events == Array(source.events.prefix(complete - 2)))
        return events
      }
      switch complete {
      case 0:
        #expect(refusal == "The file is not a recording: its first line isn't the header that recordTimeline writes.")
      case 1: #expect(refusal == "The recording has no subscription 1; it has none.")
      default: #expect(refusal == nil)
      }
    }
  }

  @Test func `a file that is missing, foreign or newer is refused`() throws {
    #expect(values()?.hasPrefix("The recording cannot be read: ") == true)
    let foreign = "The file is not a recording: its first line isn't the header that recordTimeline writes."
    for text in [
      "", "\n", "text\n", "{}\n", #"{"format":"other","version":1}"#, #"{"format":"stream-timeline","version":0}"#,
      #"{"format":"stream-timeline"}"# + "\n",
    ] {
      try recording.write(text)
      #expect(values() == foreign)
    }
    try recording.write(#"{"format":"stream-timeline","version":2,"date":7}"# + "\n{}\n")
    #expect(values() == foreign)
    try recording.write(#"{"format":"stream-timeline","version":2,"novelty":7}"# + "\n{}\n")
    #expect(values() == "The recording uses version 2 of the format. Update Streams to read it.")
  }

  @Test func `a line that is not as expected is named`() throws {
    let value = #"{"event":"value","subscription":1,"time":0,"value":7}"#
    try write(value, value, end: "")
    #expect(values() == nil)
    for line in [
      "", "text", "[]", #"{"event":"value","subscription":1,"value":7}"#, #"{"subscription":1,"time":0}"#,
      #"{"event":"novelty","subscription":1,"time":0}"#, #"{"event":"value","subscription":"1","time":0,"value":7}"#,
    ] {
      try write(value, line, value)
      #expect(values()?.hasPrefix("Line 3 of the recording: It is not an event. ") == true, "\(line)")
    }
    for line in [
      value.replacing("7}", with: #""7"}"#), value.replacing("7}", with: "null}"),
      value.replacing(#","value":7"#, with: ""),
      value.replacing("7}", with: "7.5}"),
    ] {
      try write(value, line, value)
      #expect(values()?.hasPrefix("Line 3 of the recording: The value is not of type Int. ") == true, "\(line)")
    }
    try write(#"{"event":"value","subscription":1,"time":0,"value":{"name":"a","position":[1,"b"]}}"#)
    #expect(
      refusal { () throws(ReplayError) in try scheduler.hot(replaying: recording.url, of: Point.self) }?
        .hasPrefix("Line 2 of the recording: The value is not of type Point. value.position.1: ") == true)
  }

  @Test func `a value that could not be encoded is named`() throws {
    try write(#"{"event":"value","subscription":1,"text":"The value cannot be encoded: first","time":0}"#)
    #expect(values() == "Line 2 of the recording: The value cannot be encoded: first")
  }
}
