import NIOCore
import StreamsHummingbird

/// The messages that the server sends: a time, then as many other characters as it takes.
enum Message {
  private static let digits = 19
  private static let field = "data: ".utf8.count

  static let minimumSize = digits

  /// The current time of a clock that all processes share, in nanoseconds.
  static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

  static func event(sentAt time: UInt64, size: Int) -> ServerSentEvent {
    let number = String(time)
    return ServerSentEvent(
      data: String(repeating: "0", count: digits - number.utf8.count) + number
        + String(repeating: "x", count: size - digits))
  }

  /// Reads the times of messages from the bytes of a response, however they're split.
  ///
  /// It relies on a message being a chunk of its own, which it is as the server writes it. That makes it so fast that the server
  /// is measured, not the client.
  struct Reader {
    private enum State {
      /// In the head of the response, after a number of the bytes that end it.
      case head(ended: Int)
      case size
      /// In a chunk, with the number of bytes that are left of it and of the line break after it.
      case chunk
      case ended
    }

    private var state = State.head(ended: 0)
    private var size = 0
    private var position = 0
    private var time: UInt64 = 0

    /// Whether the whole head has been read.
    var hasHead: Bool { if case .head = state { false } else { true } }

    /// Whether the body has come to its proper end.
    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Reads bytes, and calls a closure with the time at which each message was sent.
    mutating func read(_ bytes: UnsafeRawBufferPointer, receive: (UInt64) -> Void) {
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        switch state {
        case .head(let ended):
          index += 1
          let isExpected = byte == (ended.isMultiple(of: 2) ? UInt8(ascii: "\r") : UInt8(ascii: "\n"))
          let next = isExpected ? ended + 1 : byte == UInt8(ascii: "\r") ? 1 : 0
          state = next == 4 ? .size : .head(ended: next)
        case .size:
          index += 1
          switch byte {
          case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 + Int(byte - UInt8(ascii: "0"))
          case UInt8(ascii: "a")...UInt8(ascii: "f"): size = size << 4 + Int(byte - UInt8(ascii: "a")) + 10
          case UInt8(ascii: "A")...UInt8(ascii: "F"): size = size << 4 + Int(byte - UInt8(ascii: "A")) + 10
          case UInt8(ascii: "\n"): state = size == 0 ? .ended : .chunk
          default: break
          }
        case .chunk:
          // A comment that keeps the connection alive is shorter than any message.
          if position < Message.field || size < Message.field + Message.digits {
            position += 1
            index += 1
          } else if position < Message.field + Message.digits {
            time = time * 10 + UInt64(byte & 15)
            position += 1
            index += 1
            if position == Message.field + Message.digits { receive(time) }
          } else {
            let count = min(size + 2 - position, bytes.count - index)
            position += count
            index += count
          }
          if position == size + 2 { (state, size, position, time) = (.size, 0, 0, 0) }
        case .ended: return
        }
      }
    }
  }
}
