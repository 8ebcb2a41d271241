public import Streams

/// A publisher's signal, either a value or the completion, represented as a value.
///
///     let sink = load().materialize().sink { event in
///       if case .failure(let error) = event { print(error) }
///     }
///
/// ``Streams/Publisher/materialize()`` converts signals to events, and ``Streams/Publisher/dematerialize()`` converts events back to
/// signals.
@frozen
public enum PublisherEvent<Output, Failure: Error> {
  /// A value.
  case value(Output)

  /// A completion with an error.
  case failure(Failure)

  /// A normal completion.
  case finished
}

extension PublisherEvent {
  /// Creates the event that represents a completion.
  ///
  /// - Parameter completion: The completion to represent.
  @inlinable
  public init(_ completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value of a `value` event, otherwise `nil`.
  @inlinable
  public var value: Output? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The error of a `failure` event, otherwise `nil`.
  @inlinable
  public var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension PublisherEvent: Sendable where Output: Sendable, Failure: Sendable {}
extension PublisherEvent: Equatable where Output: Equatable, Failure: Equatable {}
extension PublisherEvent: Hashable where Output: Hashable, Failure: Hashable {}

extension PublisherEvent: CustomStringConvertible {
  /// A textual representation: `value(…)`, `failure(…)` or `finished`.
  public var description: String {
    switch self {
    case .value(let value): "value(\(value))"
    case .failure(let error): "failure(\(error))"
    case .finished: "finished"
    }
  }
}
