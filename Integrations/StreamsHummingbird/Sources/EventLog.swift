public import StreamAlgorithms

/// Events that a client can resume after a lost connection.
///
/// `Response.serverSentEvents(to:from:)` reads one for each client. Use a ``MemoryEventLog``, or conform a table of your database:
/// its numbers are the indexes, and survive a restart.
///
/// A log that a client reads slowly keeps nothing for that client, and nobody who adds to the log waits. So a log decides by itself
/// how many events it holds.
public protocol EventLog: Sendable {
  /// A name that tells this log from others, such as one before its database was created anew.
  ///
  /// It's a part of the events' IDs, so it may have letters, digits and hyphens. A client whose ID has another one gets a gap.
  var identity: String { get }

  /// A publisher that sends a value after events have been added.
  ///
  /// One value may stand for many events, and a value without new events does no harm. Each client subscribes once. When the
  /// publisher completes, so do the responses, after the events that are in the log.
  var additions: AnySendablePublisher<Void, any Error> { get }

  /// Reads events.
  ///
  /// - Parameters:
  ///   - index: The index of the first event to read.
  ///   - limit: The maximum number of events. With 0, only the range of indexes is wanted.
  /// - Returns: The events that have this index or a higher one, and the indexes that the log holds at this moment.
  /// - Throws: An error of the log. It ends the response after the events that have been read.
  func read(from index: Int, limit: Int) async throws -> EventLogPage
}

/// What was read from an event log.
public struct EventLogPage: Sendable {
  /// An event and its index.
  public struct Entry: Sendable {
    /// The index. If an event stands for several, it's the last one.
    public var index: Int
    /// The event. Its ID is set when it's sent.
    public var event: ServerSentEvent

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - event: The event.
    public init(index: Int, event: ServerSentEvent) { (self.index, self.event) = (index, event) }
  }

  /// The indexes from the oldest event that the log holds to the one that is added next.
  public var indexes: Range<Int>
  /// The events, in ascending order of their indexes.
  public var entries: [Entry]

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - indexes: The indexes that the log holds.
  ///   - entries: The events.
  public init(indexes: Range<Int>, entries: [Entry]) { (self.indexes, self.entries) = (indexes, entries) }
}
