extension Subscribers {
  /// The terminal event of a stream.
  ///
  ///     let sink = ids.sink { completion in
  ///       if case .failure(let error) = completion { print(error) }
  ///     } receiveValue: { print($0) }
  @frozen
  public enum Completion<Failure: Error> {
    /// The stream finished normally.
    case finished

    /// The stream failed with an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers.Completion: Decodable where Failure: Decodable {
  /// Decodes a completion that was encoded by ``encode(to:)``.
  ///
  /// - Throws: The error from the decoder or the failure type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CompletionCodingKeys.self)
    let succeeded = try container.decode(Bool.self, forKey: .success)
    self = succeeded ? .finished : .failure(try container.decode(Failure.self, forKey: .error))
  }
}

extension Subscribers.Completion: Encodable where Failure: Encodable {
  /// Encodes whether the stream finished normally and, if not, the error.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CompletionCodingKeys.self)
    switch self {
    case .finished:
      try container.encode(true, forKey: .success)
    case .failure(let error):
      try container.encode(false, forKey: .success)
      try container.encode(error, forKey: .error)
    }
  }
}

private enum CompletionCodingKeys: String, CodingKey {
  case success
  case error
}

extension Subscribers.Completion {
  /// Returns the completion, with its error, if any, transformed by a closure.
  @inlinable
  func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
