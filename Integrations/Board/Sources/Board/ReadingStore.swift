import Foundation
import GRDB
public import StreamAlgorithms
import Streams

/// The readings, in a database.
public struct ReadingStore: Sendable {
  private let database: DatabasePool

  /// Opens the database, and creates it if there's none.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: An error of the database.
  public init(path: String) throws {
    var configuration = Configuration()
    // A transaction that has returned survives a crash of the machine too.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    database = try DatabasePool(path: path, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("readings") { database in
      try database.execute(
        sql: """
          CREATE TABLE reading (
            id INTEGER PRIMARY KEY AUTOINCREMENT, feed TEXT NOT NULL, sequence INTEGER NOT NULL,
            sensor TEXT NOT NULL, value REAL NOT NULL, time REAL NOT NULL,
            UNIQUE (feed, sequence) ON CONFLICT IGNORE)
          """)
    }
    try migrator.migrate(database)
  }

  /// Stores readings in one transaction. One that is stored already is ignored.
  ///
  /// - Parameters:
  ///   - submissions: The readings.
  ///   - feed: The name of the feed that sent them.
  /// - Throws: An error of the database. Then none is stored.
  public func store(_ submissions: [Submission], from feed: String) async throws {
    let time = Date().timeIntervalSince1970
    try await database.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO reading (feed, sequence, sensor, value, time) VALUES (?, ?, ?, ?, ?)")
      for submission in submissions {
        try insert.execute(arguments: [feed, submission.sequence, submission.sensor, submission.value, time])
      }
    }
  }

  /// Returns readings in the order in which they were stored.
  ///
  /// - Parameters:
  ///   - id: The number of the reading before the first one to return.
  ///   - last: The number of the last reading to return, or `nil` for all.
  ///   - limit: The maximum number of readings. If there are more, the latest are returned.
  /// - Returns: The readings.
  /// - Throws: An error of the database.
  public func readings(after id: Int64, through last: Int64? = nil, limit: Int = 10_000) async throws -> [Reading] {
    try await database.read { database in
      try Reading.fetchAll(
        database, sql: "SELECT * FROM reading WHERE id > ? AND id <= ? ORDER BY id DESC LIMIT ?",
        arguments: [id, last ?? .max, limit]
      ).reversed()
    }
  }

  /// The highest sequence number that is stored from a feed, or 0.
  ///
  /// - Parameter feed: The name of the feed.
  /// - Returns: The number.
  /// - Throws: An error of the database.
  public func lastSequence(of feed: String) async throws -> Int64 {
    try await database.read { database in
      try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM reading WHERE feed = ?", arguments: [feed]) ?? 0
    }
  }

  /// Publishes the readings that are stored from now on, in batches.
  ///
  /// The database announces each transaction. While a batch is on its way, the readings of later transactions wait in the database,
  /// and the next batch has them all.
  public var updates: AnySendablePublisher<[Reading], any Error> {
    AnySendablePublisher { [self] in observe() }
  }

  private func observe() -> some Publisher<[Reading], any Error> & SendableMetatype {
    ValueObservation.tracking { try Int64.fetchOne($0, sql: "SELECT max(id) FROM reading") ?? 0 }
      .removeDuplicates()
      .values(in: database, bufferingPolicy: .bufferingNewest(1))
      .publisher
      .pairwise()
      .map(maxTasks: 1) { before, last in try await readings(after: before, through: last, limit: .max) }
  }
}
