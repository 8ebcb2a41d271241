/// How much a server keeps for its clients.
///
/// A client that opens many sessions, or reads and never acknowledges, can't take more memory than
/// ``sessionsPerClient`` × ``bytes``.
public struct ResumableStreamLimits: Hashable, Sendable {
  /// The number of values that a session keeps until they're acknowledged. The source waits when there are so many.
  public var window: Int
  /// The number of bytes that a session keeps.
  ///
  /// The size of a value isn't known before it arrives. The session assumes that none is larger than the largest so far, so the
  /// sum may exceed the limit by what was requested before a larger one arrived.
  public var bytes: Int
  /// The number of sessions of one client.
  ///
  /// Another one takes the place of the oldest session that has no connection. If each has one, it fails with `resourceExhausted`.
  public var sessionsPerClient: Int
  /// The number of sessions of all clients. Another one fails with `resourceExhausted`.
  public var sessions: Int

  /// Creates limits.
  ///
  /// A limit below one stops the program with a message.
  ///
  /// - Parameters:
  ///   - window: The number of values that a session keeps.
  ///   - bytes: The number of bytes that a session keeps.
  ///   - sessionsPerClient: The number of sessions of one client.
  ///   - sessions: The number of sessions of all clients.
  public init(window: Int = 256, bytes: Int = 16_777_216, sessionsPerClient: Int = 16, sessions: Int = 1_024) {
    let lowest = min(window, bytes, sessionsPerClient, sessions)
    precondition(lowest > 0, "The limits of ResumableStreams are at least 1, got \(lowest).")
    self.window = window
    self.bytes = bytes
    self.sessionsPerClient = sessionsPerClient
    self.sessions = sessions
  }
}
