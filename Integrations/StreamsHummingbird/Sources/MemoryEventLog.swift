internal import NIOCore
public import StreamAlgorithms
internal import Streams
internal import Synchronization

/// An event log in memory, which holds the latest events.
///
/// ```swift
/// let log = MemoryEventLog(capacity: 1_000)
/// router.get("prices") { request, context in
///   try await Response.serverSentEvents(to: request, from: log, context: context)
/// }
/// log.append(ServerSentEvent(data: "20.5"))
/// ```
///
/// Its identity is random. After a restart of the server, each client that resumes gets a gap.
public final class MemoryEventLog: EventLog {
  public let identity = String(UInt64.random(in: .min ... .max), radix: 16)

  private let capacity: Int
  private let state = Mutex(State())
  private let added = PassthroughSubject<Void, any Error>()

  private struct State {
    var events = CircularBuffer<ServerSentEvent>()
    /// The index of the oldest event.
    var first = 0
  }

  /// Creates a log without events.
  ///
  /// - Parameter capacity: The number of events that the log holds. A number below one stops the program with a message.
  public init(capacity: Int) {
    precondition(capacity > 0, "A MemoryEventLog holds at least one event, got a capacity of \(capacity).")
    self.capacity = capacity
  }

  /// Adds an event, and drops the oldest one if the log is full. Call it on any thread.
  ///
  /// Nobody waits for clients. Each of them is told that there's something new.
  ///
  /// - Parameter event: The event. The log's own ID takes the place of its ID.
  /// - Complexity: O(1) for the log, and O(*n*) to tell *n* clients.
  public func append(_ event: ServerSentEvent) {
    let dropped = state.withLock { state in
      let dropped = state.events.count == capacity ? state.events.popFirst() : nil
      if dropped != nil { state.first += 1 }
      state.events.append(event)
      return dropped
    }
    withExtendedLifetime(dropped) { added.send(()) }
  }

  /// Ends the responses after the events that the log holds.
  public func finish() { added.send(completion: .finished) }

  public var additions: AnySendablePublisher<Void, any Error> { AnySendablePublisher { [added] in added } }

  public func read(from index: Int, limit: Int) -> EventLogPage {
    state.withLock { state in
      let indexes = state.first..<state.first + state.events.count
      let begin = min(max(index, indexes.lowerBound), indexes.upperBound)
      let entries = zip(begin..., state.events.dropFirst(begin - indexes.lowerBound).prefix(limit)).map {
        EventLogPage.Entry(index: $0, event: $1)
      }
      return EventLogPage(indexes: indexes, entries: entries)
    }
  }
}
