/// How much a client may leave unread, and for how long, before its connection is cut.
///
/// ```swift
/// Response.serverSentEvents(to: request, prices, unread: UnreadLimit(bytes: 65_536, time: .seconds(30)))
/// ```
///
/// A client that reads is never cut for the number of values: a burst of a thousand small ones is fine as long as their bytes are
/// within the limit. A single value always is.
public struct UnreadLimit: Sendable, Hashable {
  /// The number of bytes that may wait for a client.
  ///
  /// It needs room for the largest burst that you send. It's also your memory for a client that doesn't read, beside what NIO and the
  /// system keep: up to some megabytes are in the buffers of the two sockets before anything waits here.
  public var bytes: Int

  /// The time in which a client that has something to read must take one value, or a few small ones that are written together.
  ///
  /// It's checked whenever a value arrives, and with each keep-alive of a response. So nothing is cut as long as nothing new waits.
  public var time: Duration

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes that may wait for a client. A number below one stops the program with a message.
  ///   - time: The time in which a client must take one value. It must be positive.
  public init(bytes: Int = 1 << 20, time: Duration = .seconds(5)) {
    precondition(bytes > 0, "An UnreadLimit requires at least one byte, got \(bytes).")
    precondition(time > .zero, "An UnreadLimit requires a positive time, got \(time).")
    self.bytes = bytes
    self.time = time
  }
}
