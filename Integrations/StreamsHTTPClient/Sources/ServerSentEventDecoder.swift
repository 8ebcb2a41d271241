internal import NIOCore

/// Reads the events of a `text/event-stream`, whose bytes arrive in parts.
struct ServerSentEventDecoder {
  /// The ID of the last event that has ended, or the one that was passed at the beginning.
  private(set) var lastEventID: String?
  /// The last reconnection time that the server has chosen.
  private(set) var retry: Duration?

  private let maximumSize: Int
  private var line: [UInt8] = []
  private var followsCarriageReturn = false
  private var isFirstLine = true
  // The event that hasn't ended yet.
  private var id: String?
  private var event: String?
  private var data: String?

  init(after lastEventID: String?, maximumSize: Int) {
    self.lastEventID = lastEventID
    id = lastEventID
    self.maximumSize = maximumSize
  }

  /// Begins another stream, and forgets an event that hasn't ended. Returns the ID after which it continues.
  mutating func begin() -> String? {
    let retry = retry
    self = Self(after: lastEventID, maximumSize: maximumSize)
    self.retry = retry
    return lastEventID
  }

  /// Returns the events that end in a part of the stream, and an error if one is too large.
  mutating func decode(_ part: ByteBuffer) -> [Result<ServerSentEvent, EventTooLarge>] {
    var events: [Result<ServerSentEvent, EventTooLarge>] = []
    for byte in part.readableBytesView {
      defer { followsCarriageReturn = byte == UInt8(ascii: "\r") }
      switch byte {
      case UInt8(ascii: "\n") where followsCarriageReturn: break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): if let event = endLine() { events.append(.success(event)) }
      default: line.append(byte)
      }
      if line.count + (data?.utf8.count ?? 0) > maximumSize {
        return events + [.failure(EventTooLarge(maximumSize: maximumSize))]
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    if line.isEmpty { return endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data": data = data.map { $0 + "\n" + text } ?? text
    case "event": event = text
    case "id" where !value.contains(0): id = text
    case "retry":
      if !value.isEmpty, value.allSatisfy(isDigit), let number = Int64(text) { retry = .milliseconds(number) }
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer { (event, data) = (nil, nil) }
    lastEventID = id
    return data.map { ServerSentEvent(data: $0, event: event, id: id) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
