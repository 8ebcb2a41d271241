public import GRDB

/// A measured value.
public struct Reading: Codable, Sendable, Hashable, FetchableRecord {
  /// The number under which it is stored. Later readings have greater numbers.
  public let id: Int
  /// The name of the sensor.
  public let sensor: String
  /// The value.
  public let value: Double
  /// The time at which it was stored, in seconds since 1970.
  public let time: Double
}

/// A measured value as a feed sends it: a line of JSON.
///
///     {"sequence": 17, "sensor": "boiler", "value": 61.5}
public struct Submission: Codable, Sendable, Hashable {
  /// A number that grows with each reading of a feed. The same reading keeps it when it's sent again.
  public let sequence: Int64
  /// The name of the sensor.
  public let sensor: String
  /// The value.
  public let value: Double

  /// Creates a submission.
  ///
  /// - Parameters:
  ///   - sequence: The number of the reading in its feed.
  ///   - sensor: The name of the sensor.
  ///   - value: The value.
  public init(sequence: Int64, sensor: String, value: Double) {
    (self.sequence, self.sensor, self.value) = (sequence, sensor, value)
  }
}
