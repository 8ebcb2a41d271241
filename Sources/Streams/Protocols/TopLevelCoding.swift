/// A type that encodes `Encodable` values into its own kind of output, such as `Data`.
public protocol TopLevelEncoder {
  /// The type of the encoded data.
  associatedtype Output

  /// Encodes a value.
  ///
  /// - Parameter value: The value to encode.
  /// - Returns: The encoded data.
  /// - Throws: Any error from the encoder or the value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A type that decodes `Decodable` values from its own kind of input, such as `Data`.
public protocol TopLevelDecoder {
  /// The type of the encoded data.
  associatedtype Input

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - input: The encoded data.
  /// - Returns: The decoded value.
  /// - Throws: Any error from the decoder or the type.
  func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}
