/// A type that turns `Encodable` values into its own kind of output, such as `Data`.
public protocol TopLevelEncoder {
  /// What encoding produces.
  associatedtype Output

  /// Encodes a value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A type that turns its own kind of input, such as `Data`, into `Decodable` values.
public protocol TopLevelDecoder {
  /// What decoding starts from.
  associatedtype Input

  /// Decodes a value.
  func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}
