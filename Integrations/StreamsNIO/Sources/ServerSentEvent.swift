public import NIOCore
internal import Synchronization

/// An event of a `text/event-stream`, which a browser receives with `EventSource`.
///
/// ```swift
/// ServerSentEvent(data: "21 °C", event: "temperature", id: "7")
/// ```
///
/// An event can have any of the fields. A browser dispatches it only if it has data. Otherwise, it remembers the ID and the
/// reconnection time.
public struct ServerSentEvent: Sendable, Hashable {
  /// The text of the event, or `nil` if the browser should dispatch nothing.
  ///
  /// It may have several lines. The browser receives every line break (CR, LF or CRLF) as LF. An empty text is dispatched too.
  public var data: String? { didSet { encoding = Encoding() } }

  /// The type of the event, or `nil` for `message`.
  ///
  /// Line breaks are left out, because they'd end the field.
  public var event: String? { didSet { encoding = Encoding() } }

  /// The ID that the browser sends in the header `Last-Event-ID` when it reconnects.
  ///
  /// An empty text resets the browser's ID. Line breaks and null characters are left out, because the format doesn't allow them.
  public var id: String? { didSet { encoding = Encoding() } }

  /// The time that the browser waits before it reconnects.
  ///
  /// It's rounded down to milliseconds. A negative time counts as zero.
  public var retry: Duration? { didSet { encoding = Encoding() } }

  /// A text that browsers ignore. It may have several lines.
  public var comment: String? { didSet { encoding = Encoding() } }

  private var encoding = Encoding()

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - data: The text of the event, or `nil` if the browser should dispatch nothing.
  ///   - event: The type of the event, or `nil` for `message`.
  ///   - id: The ID that the browser sends when it reconnects.
  ///   - retry: The time that the browser waits before it reconnects.
  ///   - comment: A text that browsers ignore.
  public init(
    data: String? = nil, event: String? = nil, id: String? = nil, retry: Duration? = nil, comment: String? = nil
  ) {
    self.data = data
    self.event = event
    self.id = id
    self.retry = retry
    self.comment = comment
  }

  /// The number of bytes of the encoded event, unless its texts have several lines: about that many then.
  package var size: Int {
    // A field's name, colon, space and line break take at most 9 bytes, as does `retry` with its number another 20.
    [data, event, id, comment].reduce(32) { $0 + ($1.map { $0.utf8.count + 9 } ?? 0) }
  }

  /// Encodes the event in the format of the WHATWG's HTML standard, in UTF-8.
  ///
  /// Copies of an event share the result, so an event that's sent to many clients is encoded once. It's kept as long as one of them
  /// is.
  ///
  /// - Returns: The lines of the fields and the empty line that ends the event.
  /// - Complexity: O(*n*) for *n* bytes of text, then O(1).
  public func encoded() -> ByteBuffer { encoding.bytes(or: encode) }

  private func encode() -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(size)
    if let comment { buffer.writeLines(of: comment, as: "") }
    if let event { buffer.writeLine(event, as: "event", without: isLineBreak) }
    if let id { buffer.writeLine(id, as: "id") { isLineBreak($0) || $0 == 0 } }
    if let retry { buffer.writeString("retry: \(retry.milliseconds)\n") }
    if let data { buffer.writeLines(of: data, as: "data") }
    buffer.writeInteger(lineFeed)
    return buffer
  }
}

/// The bytes of an event and its copies, once they've been needed.
private final class Encoding: Sendable, Hashable {
  private let bytes = Mutex<ByteBuffer?>(nil)

  func bytes(or encode: () -> ByteBuffer) -> ByteBuffer {
    bytes.withLock { bytes in
      let encoded = bytes ?? encode()
      bytes = encoded
      return encoded
    }
  }

  // It follows from the event's fields.
  static func == (_: Encoding, _: Encoding) -> Bool { true }
  func hash(into _: inout Hasher) {}
}

private let lineFeed = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")

private func isLineBreak(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

extension Duration {
  fileprivate var milliseconds: Int64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflows ? .max : milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
  }
}

extension ByteBuffer {
  fileprivate mutating func writeLine(_ text: String, as field: String, without isLeftOut: (UInt8) -> Bool) {
    writeString("\(field): ")
    if text.utf8.contains(where: isLeftOut) {
      writeBytes(text.utf8.filter { !isLeftOut($0) })
    } else {
      writeString(text)
    }
    writeInteger(lineFeed)
  }

  fileprivate mutating func writeLines(of text: String, as field: String) {
    var rest = text.utf8[...]
    while true {
      let end = rest.firstIndex(where: isLineBreak)
      writeString("\(field): ")
      writeBytes(rest[..<(end ?? rest.endIndex)])
      writeInteger(lineFeed)
      guard let end else { return }
      let isPair = rest[end] == carriageReturn && rest[rest.index(after: end)...].first == lineFeed
      rest = rest[rest.index(end, offsetBy: isPair ? 2 : 1)...]
    }
  }
}
