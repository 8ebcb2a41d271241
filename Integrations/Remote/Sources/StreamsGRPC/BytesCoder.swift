public import GRPCCore

/// Serializes values that are bytes already.
///
/// Use it with ``ResumableStreams`` if your values have an encoding of their own, such as JSON.
public struct BytesCoder: MessageSerializer, MessageDeserializer {
  /// Creates a coder.
  public init() {}

  public func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes { Bytes(message) }

  public func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }
}
