import GRDB
import StreamsGRPC

/// What the client has received. A reading and its index are stored in one transaction, so each has its effect once.
struct ReadingStore: Sendable {
  private let database: DatabaseQueue

  init(path: String) throws {
    var configuration = Configuration()
    // Another process may read meanwhile.
    configuration.busyMode = .timeout(10)
    database = try DatabaseQueue(path: path, configuration: configuration)
    try database.write { database in
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS reading (partition INTEGER, number INTEGER, sensor TEXT, celsius REAL);
          CREATE TABLE IF NOT EXISTS position (partition INTEGER PRIMARY KEY, number INTEGER, source TEXT);
          """)
    }
  }

  /// How far the client has come in a partition.
  func position(of partition: Int) throws -> StreamPosition {
    try database.read { database in
      guard
        let row = try Row.fetchOne(database, sql: "SELECT * FROM position WHERE partition = ?", arguments: [partition])
      else { return StreamPosition() }
      return StreamPosition(after: UInt64(row["number"] as Int), of: row["source"])
    }
  }

  func add(_ delivery: StreamDelivery<Reading>, partition: Int, source: String?) async throws {
    let (number, reading) = (Int(delivery.index), delivery.value)
    try await database.write { database in
      try database.execute(
        sql: "INSERT INTO reading VALUES (?, ?, ?, ?)", arguments: [partition, number, reading.sensor, reading.celsius])
      try database.execute(
        sql: "INSERT OR REPLACE INTO position VALUES (?, ?, ?)", arguments: [partition, number, source])
    }
  }

  /// The number of readings of each partition, and the number of different indexes.
  func counts() throws -> [(partition: Int, readings: Int, indexes: Int)] {
    try database.read { database in
      try Row.fetchAll(
        database,
        sql:
          "SELECT partition, count(*) AS n, count(DISTINCT number) AS d FROM reading GROUP BY partition ORDER BY partition"
      ).map { ($0["partition"], $0["n"], $0["d"]) }
    }
  }
}
