internal import StreamAlgorithms
internal import Streams

/// Reads a log for one client: what it has missed, then what is added.
///
/// It looks for additions before it reads, so nothing falls between the two. It reads again only after it has been asked, so a slow
/// client needs no memory.
final class EventLogReader<Log: EventLog>: @unchecked Sendable {
  // Unchecked: the stream calls `page` again only after it has returned, and nothing else uses the variables.

  /// The maximum number of events that are read together, and written together.
  private static var pageSize: Int { 128 }

  private let log: Log
  private let gap: ServerSentEvent
  /// The index of the next event for the client. It gets a gap if the log doesn't hold that one any more.
  private var next: Int
  /// Whether everything has been read that the last page had mentioned.
  private var isUpToDate = false
  private var additions: AsyncThrowingPublisher<AnyPublisher<Void, any Error>>.Iterator

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - id: The ID of the last event that the client has received, or `nil` for a new client.
  ///   - latest: The number of events that a new client receives of those that the log holds.
  ///   - gap: The event that says that events are missing.
  init(_ log: Log, after id: String?, latest: Int, gap: ServerSentEvent) async throws {
    precondition(
      log.identity.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f },
      "The identity of an EventLog may have letters, digits and hyphens, got \"\(log.identity)\".")
    self.log = log
    self.gap = gap
    // The inspector lists each client's look-out under this name.
    additions = log.additions.checkpoint("EventLog.additions").eraseToAnyPublisher()
      .values(bounded: 1, whenFull: .dropNewest)
      .makeAsyncIterator()
    let indexes = try await log.read(from: .max, limit: 0).indexes
    if let id, !id.isEmpty {
      // An index that hasn't been given yet belongs to a log that has lost its end.
      next = Self.index(in: id, of: log).flatMap { $0 < indexes.upperBound ? $0 + 1 : nil } ?? .min
    } else {
      next = indexes.upperBound - min(latest, indexes.count)
    }
  }

  /// The next events, as soon as there are some, or `nil` at the end.
  func page() async throws -> [ServerSentEvent]? {
    while true {
      if isUpToDate {
        guard try await additions.next() != nil else { return nil }
        isUpToDate = false
      }
      let page = try await log.read(from: next, limit: Self.pageSize)
      var events: [ServerSentEvent] = []
      if page.indexes.lowerBound > next {
        next = page.indexes.lowerBound
        events.append(identified(gap, next - 1))
      }
      for entry in page.entries {
        events.append(identified(entry.event, entry.index))
        next = entry.index + 1
      }
      isUpToDate = next >= page.indexes.upperBound || page.entries.isEmpty
      if !events.isEmpty { return events }
    }
  }

  private func identified(_ event: ServerSentEvent, _ index: Int) -> ServerSentEvent {
    var event = event
    event.id = "\(log.identity).\(index)"
    return event
  }

  private static func index(in id: String, of log: Log) -> Int? {
    guard let dot = id.lastIndex(of: "."), id[..<dot] == log.identity else { return nil }
    return Int(id[id.index(after: dot)...])
  }
}
