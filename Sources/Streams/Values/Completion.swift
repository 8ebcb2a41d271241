extension Subscribers {
  /// How a stream ended.
  @frozen
  public enum Completion<Failure: Error> {
    /// It ended normally.
    case finished

    /// It ended with an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers.Completion: Decodable where Failure: Decodable {
  /// Reads a completion that was written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CompletionCodingKeys.self)
    let succeeded = try container.decode(Bool.self, forKey: .success)
    self = succeeded ? .finished : .failure(try container.decode(Failure.self, forKey: .error))
  }
}

extension Subscribers.Completion: Encodable where Failure: Encodable {
  /// Writes whether the stream succeeded and, if not, the error.
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
  /// The same completion with the error, if there is one, turned into another.
  @inlinable
  func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
