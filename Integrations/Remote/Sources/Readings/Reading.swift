import Foundation
import GRPCCore

/// A reading of a sensor.
struct Reading: Codable, Sendable {
  var sensor: String
  var celsius: Double
}

/// Readings are sent as JSON. With a `.proto` file, the library has a coder.
struct ReadingCoder: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: Reading) throws -> Bytes {
    Bytes(try JSONEncoder().encode(message))
  }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Reading {
    try JSONDecoder().decode(Reading.self, from: bytes.withUnsafeBytes { Data($0) })
  }
}
