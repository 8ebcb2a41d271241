import NIOCore
import Testing

@testable import StreamsHTTPClient

@Suite struct ServerSentEventDecoderTests {
  /// The events of a text in parts of each size, which must all be equal.
  private func decoded(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [ServerSentEvent] {
    let bytes = Array(text.utf8)
    let results = try [1, 2, 3, 7, bytes.count].map { size in
      var decoder = ServerSentEventDecoder(after: nil, maximumSize: 1_000)
      return try stride(from: 0, to: bytes.count, by: max(size, 1)).flatMap {
        try decoder.decode(ByteBuffer(bytes: bytes[$0..<min($0 + size, bytes.count)])).map { try $0.get() }
      }
    }
    #expect(Set(results).count == 1, sourceLocation: sourceLocation)
    return results[0]
  }

  @Test func `the examples of the standard`() throws {
    #expect(
      try decoded("data: YHOO\ndata: +2\ndata: 10\n\n") == [ServerSentEvent(data: "YHOO\n+2\n10")])
    #expect(
      try decoded(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") == [
        ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event", id: ""),
        ServerSentEvent(data: " third event", id: ""),
      ])
    // The last block isn't ended.
    #expect(
      try decoded("data\n\ndata\ndata\n\ndata:") == [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")])
    #expect(
      try decoded("data:test\n\ndata: test\n\n") == [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")])
  }

  @Test func `each line break ends a line, and a byte order mark is left out`() throws {
    for end in ["\n", "\r", "\r\n"] {
      #expect(
        try decoded("\u{FEFF}event: a\(end)data: 1\(end)\(end)data: 2\(end)\(end)")
          == [ServerSentEvent(data: "1", event: "a"), ServerSentEvent(data: "2")])
    }
  }

  @Test func `what isn't allowed is ignored`() throws {
    var decoder = ServerSentEventDecoder(after: "0", maximumSize: 1_000)
    let text = "retry: 5s\nretry: -1\nretry:\nid: a\0b\nunknown: 1\nid2: 3\n\nevent: x\n\ndata: 1\n\n"
    #expect(decoder.decode(ByteBuffer(string: text)) == [.success(ServerSentEvent(data: "1", id: "0"))])
    #expect(decoder.retry == nil && decoder.lastEventID == "0")
    #expect(decoder.decode(ByteBuffer(string: "retry: 1500\n")) == [])
    #expect(decoder.retry == .milliseconds(1_500))
  }

  @Test func `an encoded event is decoded again`() throws {
    let texts = ["", " ", "a", "a\nb", "\n", "é€😀", ": a", "data: b"]
    for data in texts {
      for id in ["1", "é"] {
        let event = ServerSentEvent(data: data, event: "type", id: id)
        #expect(try decoded(String(buffer: event.encoded())) == [event])
      }
    }
  }

  @Test func `an event that is too large is refused, also within a line`() {
    var decoder = ServerSentEventDecoder(after: nil, maximumSize: 10)
    #expect(decoder.decode(ByteBuffer(string: "data: 1\n\ndata: 23")) == [.success(ServerSentEvent(data: "1"))])
    #expect(decoder.decode(ByteBuffer(string: "456")) == [.failure(EventTooLarge(maximumSize: 10))])
  }
}
