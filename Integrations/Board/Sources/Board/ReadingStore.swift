import Foundation
import GRDB
public import StreamAlgorithms
import Streams
public import StreamsHummingbird

/// The readings, in a database. Pages read them as a log.
public struct ReadingStore: EventLog {
  /// The number of readings that a page can get later. The database has all.
  static let reach = 10_000

  /// A name that the database got when it was created.
  public let identity: String
  /// The number of the last reading, which the database announces after each transaction.
  ///
  /// While one is on its way, those of later transactions wait in the database, and the next one is the latest.
  let lastID: AnySendablePublisher<Int, any Error>

  private let database: DatabasePool

  /// Opens the database, and creates it if there's none.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: An ``UnusableDatabase``.
  public init(path: String) throws {
    do {
      try self.init(file: path)
    } catch {
      throw UnusableDatabase(path: path, reason: "\(error)")
    }
  }

  private init(file path: String) throws {
    var configuration = Configuration()
    // Another program may have locked the database for a moment.
    configuration.busyMode = .timeout(5)
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
    migrator.registerMigration("identity") { database in
      try database.execute(
        sql: "CREATE TABLE identity (name TEXT NOT NULL); INSERT INTO identity VALUES (lower(hex(randomblob(8))))")
    }
    try migrator.migrate(database)
    identity = try database.read { try String.fetchOne($0, sql: "SELECT name FROM identity") } ?? ""
    // One observation for all pages.
    lastID = AnySendablePublisher { [database] in
      ValueObservation.tracking(Self.lastID)
        .removeDuplicates()
        .values(in: database, bufferingPolicy: .bufferingNewest(1))
        .publisher
    }.share(replay: 1).eraseToAnySendablePublisher()
  }

  /// Stores readings in one transaction. One that is stored already is ignored if it's the same.
  ///
  /// - Parameters:
  ///   - submissions: The readings.
  ///   - feed: The name of the feed that sent them.
  /// - Throws: An error of the database, or a ``ConflictingSubmission``. Then none is stored.
  public func store(_ submissions: [Submission], from feed: String) async throws {
    let time = Date().timeIntervalSince1970
    try await database.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO reading (feed, sequence, sensor, value, time) VALUES (?, ?, ?, ?, ?)")
      for submission in submissions {
        try insert.execute(arguments: [feed, submission.sequence, submission.sensor, submission.value, time])
        if database.changesCount > 0 { continue }
        let isSame = try Bool.fetchOne(
          database, sql: "SELECT sensor = ? AND value = ? FROM reading WHERE feed = ? AND sequence = ?",
          arguments: [submission.sensor, submission.value, feed, submission.sequence])
        if isSame != true { throw ConflictingSubmission(sequence: submission.sequence) }
      }
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

  // MARK: The log

  /// Sends a value after readings have been stored.
  public var additions: AnySendablePublisher<Void, any Error> {
    AnySendablePublisher { [lastID] in lastID.map { _ in } }
  }

  /// Reads readings in the order in which they were stored. Those that were read together are one event.
  ///
  /// - Parameters:
  ///   - index: The number of the first reading.
  ///   - limit: With 0, no reading is read.
  /// - Returns: An event with up to a thousand readings.
  /// - Throws: An error of the database.
  public func read(from index: Int, limit: Int) async throws -> EventLogPage {
    try await database.read { database in
      let end = try Self.lastID(database) + 1
      let indexes = max(1, end - Self.reach)..<end
      if limit == 0 { return EventLogPage(indexes: indexes, entries: []) }
      let readings = try Reading.fetchAll(
        database, sql: "SELECT * FROM reading WHERE id >= ? ORDER BY id LIMIT 1000",
        arguments: [max(index, indexes.lowerBound)])
      guard let last = readings.last else { return EventLogPage(indexes: indexes, entries: []) }
      let event = ServerSentEvent(data: String(decoding: try JSONEncoder().encode(readings), as: UTF8.self))
      return EventLogPage(indexes: indexes, entries: [EventLogPage.Entry(index: last.id, event: event)])
    }
  }

  @Sendable private static func lastID(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT max(id) FROM reading") ?? 0
  }
}

/// The error of a feed that sends another reading with a number that is stored already.
public struct ConflictingSubmission: Error, CustomStringConvertible {
  /// The number.
  public let sequence: Int64

  /// The message.
  public var description: String {
    "Another reading with the number \(sequence) is stored already. A feed gives each reading a number of its own."
  }
}

/// The error of a file that can't be opened as the board's database.
public struct UnusableDatabase: Error, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The message of the database.
  public let reason: String

  /// The message.
  public var description: String { "The board can't use \(path) as its database: \(reason)" }
}
