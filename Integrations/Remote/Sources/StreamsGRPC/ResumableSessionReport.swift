/// What is known about a session of a client.
public struct ResumableSessionReport: Hashable, Sendable {
  /// The name of the stream.
  public internal(set) var stream = ""
  /// The session's identifier, which the client has chosen.
  public internal(set) var session = ""
  /// Indicates whether the client has a connection.
  public let isConnected: Bool
  /// The index of the newest value that the source has sent.
  public let lastIndex: UInt64
  /// The number of values that are kept because the client hasn't acknowledged them.
  public let retained: Int
  /// The size of these values.
  public let retainedBytes: Int
  /// The number of values that the client has requested and hasn't been sent.
  public let requested: UInt64
  /// Indicates whether the client waits for values that the session can't request, because its window is full of unacknowledged
  /// ones.
  public let isStalled: Bool

  /// What's wrong, or `nil`.
  public var finding: String? {
    guard isStalled else { return nil }
    return
      "The session \"\(session)\" of the stream \"\(stream)\" has sent \(retained) values that its client hasn't acknowledged. "
      + "There's no room for the \(requested == .max ? "values" : "\(requested)") that the client has requested. Acknowledge values in "
      + "the client, with acknowledge(to: position), or retain more in the server."
  }
}
