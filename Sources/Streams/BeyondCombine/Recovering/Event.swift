/// What a publisher sends, a value or its ending, as a value of its own.
///
/// ``Publisher/materialize()`` makes events, and ``Publisher/dematerialize()`` makes values and a completion of them.
@frozen
public enum Event<Output, Failure: Error> {
  /// A value.
  case value(Output)

  /// The end with an error.
  case failure(Failure)

  /// The normal end.
  case finished
}

extension Event {
  /// The event that stands for a completion.
  @inlinable
  public init(_ completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value, if this is one.
  @inlinable
  public var value: Output? {
    if case .value(let value) = self { value } else { nil }
  }

  /// The error, if this is a failure.
  @inlinable
  public var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension Event: Sendable where Output: Sendable, Failure: Sendable {}
extension Event: Equatable where Output: Equatable, Failure: Equatable {}
extension Event: Hashable where Output: Hashable, Failure: Hashable {}

extension Event: CustomStringConvertible {
  /// `value(…)`, `failure(…)` or `finished`.
  public var description: String {
    switch self {
    case .value(let value): "value(\(value))"
    case .failure(let error): "failure(\(error))"
    case .finished: "finished"
    }
  }
}
