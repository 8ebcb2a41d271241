import NIOCore
import StreamsNIO
import TestSupport
import Testing

@Suite(.aloneInProcess)
struct ServerSentEventTests {
  private func text(_ event: ServerSentEvent) -> String { String(buffer: event.encoded()) }

  @Test func `the fields have the format of the standard`() {
    #expect(text(ServerSentEvent(data: "21 °C")) == "data: 21 °C\n\n")
    #expect(
      text(ServerSentEvent(data: "a", event: "b", id: "c", retry: .milliseconds(1_500), comment: "d"))
        == ": d\nevent: b\nid: c\nretry: 1500\ndata: a\n\n")
    #expect(text(ServerSentEvent(data: "", id: "")) == "id: \ndata: \n\n")
    #expect(text(ServerSentEvent()) == "\n")
  }

  @Test func `every kind of line break becomes a line`() {
    #expect(text(ServerSentEvent(data: "a\nb\rc\r\nd")) == "data: a\ndata: b\ndata: c\ndata: d\n\n")
    #expect(text(ServerSentEvent(data: "a\r\n\r\n\n\rb\r")) == "data: a\ndata: \ndata: \ndata: \ndata: b\ndata: \n\n")
    #expect(text(ServerSentEvent(data: "\n")) == "data: \ndata: \n\n")
    #expect(text(ServerSentEvent(comment: "a\r\nb")) == ": a\n: b\n\n")
    #expect(text(ServerSentEvent(data: " a\u{2028}b")) == "data:  a\u{2028}b\n\n")
  }

  @Test func `an event type or ID can't inject a field`() {
    #expect(text(ServerSentEvent(data: "x", event: "a\r\ndata: y")) == "event: adata: y\ndata: x\n\n")
    #expect(text(ServerSentEvent(data: "x", id: "a\n\0b\r")) == "id: ab\ndata: x\n\n")
  }

  @Test func `a reconnection time is a whole number of milliseconds that isn't negative`() {
    #expect(text(ServerSentEvent(retry: .microseconds(2_999))) == "retry: 2\n\n")
    #expect(text(ServerSentEvent(retry: .seconds(-1))) == "retry: 0\n\n")
    #expect(text(ServerSentEvent(retry: .seconds(Int64.max))) == "retry: \(Int64.max)\n\n")
  }

  @Test func `copies of an event are encoded once, until one is changed`() {
    func address(_ event: ServerSentEvent) -> UnsafeRawPointer? {
      event.encoded().withUnsafeReadableBytes { $0.baseAddress.map { UnsafeRawPointer($0) } }
    }
    let event = ServerSentEvent(data: "a", event: "b", id: "c", retry: .seconds(1), comment: "d")
    let copy = event
    #expect(address(copy) == address(event))
    let changes: [(inout ServerSentEvent) -> Void] = [
      { $0.data = "e" }, { $0.event = "e" }, { $0.id = "e" }, { $0.retry = .seconds(2) }, { $0.comment = "e" },
    ]
    let changed = changes.map { change in
      var copy = event
      change(&copy)
      #expect(copy != event)
      return text(copy)
    }
    #expect(Set(changed).count == changes.count && !changed.contains(text(event)))
    #expect(text(event) == ": d\nevent: b\nid: c\nretry: 1000\ndata: a\n\n")
    // What has been encoded is no part of its value.
    #expect(event == ServerSentEvent(data: "a", event: "b", id: "c", retry: .seconds(1), comment: "d"))
    #expect(Set([event, ServerSentEvent(data: "a", event: "b", id: "c", retry: .seconds(1), comment: "d")]).count == 1)
  }
}
