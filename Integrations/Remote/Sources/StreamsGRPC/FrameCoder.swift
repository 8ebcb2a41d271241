internal import Foundation
internal import GRPCCore
internal import SwiftProtobuf

/// Serializes messages of protocol buffers.
struct ProtobufCoder<Message: SwiftProtobuf.Message>: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: Message) throws -> Bytes {
    do {
      return try (message.serializedBytes() as BridgedBytes<Bytes>).bytes
    } catch {
      throw RPCError(code: .internalError, message: "\(Message.self) can't be serialized.", cause: error)
    }
  }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Message {
    do {
      return try Message(serializedBytes: BridgedBytes(bytes: bytes))
    } catch {
      throw RPCError(code: .invalidArgument, message: "\(Message.self) can't be deserialized.", cause: error)
    }
  }
}

/// Bytes of gRPC for SwiftProtobuf, whose protocol has the same requirements.
private struct BridgedBytes<Bytes: GRPCContiguousBytes>: SwiftProtobufContiguousBytes {
  var bytes: Bytes

  init(bytes: Bytes) { self.bytes = bytes }
  init(repeating byte: UInt8, count: Int) { bytes = Bytes(repeating: byte, count: count) }
  init<S: Sequence>(_ sequence: S) where S.Element == UInt8 { bytes = Bytes(sequence) }

  var count: Int { bytes.count }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeMutableBytes(body)
  }
}

/// The payload of a frame, for gRPC's serializers.
struct PayloadBytes: GRPCContiguousBytes {
  var data: Data

  init(data: Data) { self.data = data }
  init(repeating byte: UInt8, count: Int) { data = Data(repeating: byte, count: count) }
  init<Bytes: Sequence>(_ sequence: Bytes) where Bytes.Element == UInt8 { data = Data(sequence) }

  var count: Int { data.count }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try data.withUnsafeBytes(body) }

  mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
    try data.withUnsafeMutableBytes(body)
  }
}
