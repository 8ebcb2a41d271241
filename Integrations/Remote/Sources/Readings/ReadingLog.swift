import Foundation
import GRDB
import StreamAlgorithms
import Streams

/// The readings of a partition, in a database. Their row numbers are the indexes.
struct ReadingLog: Sendable {
  private let database: DatabaseQueue
  private let additions = PassthroughSubject<Void, Never>()
  /// The number of readings after which the log is complete.
  private let total: Int

  init(path: String, total: Int) throws {
    database = try DatabaseQueue(path: path)
    self.total = total
    try database.write { database in
      try database.execute(
        sql: "CREATE TABLE IF NOT EXISTS reading (id INTEGER PRIMARY KEY, json BLOB NOT NULL)")
    }
  }

  /// The number of readings.
  func count() throws -> Int {
    try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading") ?? 0 }
  }

  func add(_ reading: Reading) throws {
    let json = try JSONEncoder().encode(reading)
    try database.write { try $0.execute(sql: "INSERT INTO reading (json) VALUES (?)", arguments: [json]) }
    additions.send(())
  }

  /// The readings after an index, then those that are added, until the log is complete.
  func readings(after index: UInt64) -> some Publisher<Reading, any Error> & SendableMetatype {
    Pages(log: self, index: Int(index)).publisher.flatMap(maxPublishers: .max(1)) { page in
      page.publisher.setFailureType(to: (any Error).self)
    }
  }

  /// The readings after an index, in pages. A page is read when it's requested, so a slow client needs no memory.
  private struct Pages: AsyncSequence, Sendable {
    let log: ReadingLog
    let index: Int

    func makeAsyncIterator() -> Iterator {
      // Before the first page, so that nothing falls between them.
      Iterator(
        log: log, index: index, additions: log.additions.values(bounded: 1, whenFull: .dropNewest).makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
      let log: ReadingLog
      var index: Int
      var additions: AsyncPublisher<PassthroughSubject<Void, Never>>.Iterator

      mutating func next() async throws -> [Reading]? {
        while index < log.total {
          let after = index
          let rows = try await log.database.read { database in
            try Data.fetchAll(
              database, sql: "SELECT json FROM reading WHERE id > ? ORDER BY id LIMIT 100", arguments: [after])
          }
          if !rows.isEmpty {
            index += rows.count
            return try rows.map { try JSONDecoder().decode(Reading.self, from: $0) }
          }
          guard await additions.next() != nil else { return nil }
        }
        return nil
      }
    }
  }
}
