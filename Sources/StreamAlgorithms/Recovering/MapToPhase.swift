public import Streams

extension Publisher {
  /// Publishes a loading phase, then each value as a success phase, and a failure as the last phase before finishing.
  ///
  ///     queries
  ///       .map { search($0).mapToPhase() }
  ///       .switchToLatest()
  ///       .sink(with: self) { model, phase in model.phase = phase }
  ///
  /// ![The source publishes a and b and fails; the result publishes loading, a, b and failure and finishes.](diagram-mapToPhase)
  ///
  /// Use it for a view that shows that something is loading, and then its result or error. The stream can't fail, so as an inner
  /// publisher of `switchToLatest()` or `flatMap(_:)`, it doesn't end the outer stream.
  ///
  /// The operator subscribes to this publisher once ``PublisherPhase/loading`` has been delivered. Like values, that phase and
  /// the phase that represents a failure wait for demand. Cancellation passes through unchanged. Phases are delivered on
  /// upstream's thread, except for the first one and a failure that had to wait, which are delivered on the thread that
  /// requests them.
  @_alwaysEmitIntoClient @_disfavoredOverload
  public __consuming func mapToPhase()
    -> Publishers.Concatenate<
      Just<PublisherPhase<Output, Failure>>,
      Publishers.Catch<
        Publishers.Map<Self, PublisherPhase<Output, Failure>>, Just<PublisherPhase<Output, Failure>>
      >
    >
  {
    map { .success($0) }.catch { Just(.failure($0)) }.prepend(Just(.loading))
  }
}

/// The phase of some work: it's loading, it has a value, or it has failed.
///
///     if let items = phase.value { show(items) }
///
/// ``Streams/Publisher/mapToPhase()`` publishes the phases of a publisher's work.
@frozen
public enum PublisherPhase<Value, Failure: Error> {
  /// The work has begun and doesn't have a value yet.
  case loading

  /// The work has a value, which a newer one may follow.
  case success(Value)

  /// The work has failed.
  case failure(Failure)
}

extension PublisherPhase {
  /// Indicates whether the work is running and doesn't have a value yet.
  @_alwaysEmitIntoClient
  public var isLoading: Bool {
    if case .loading = self { true } else { false }
  }

  /// The value of a `success` phase, otherwise `nil`.
  @_alwaysEmitIntoClient
  public var value: Value? {
    if case .success(let value) = self { value } else { nil }
  }

  /// The error of a `failure` phase, otherwise `nil`.
  @_alwaysEmitIntoClient
  public var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension PublisherPhase: Sendable where Value: Sendable, Failure: Sendable {}
extension PublisherPhase: Equatable where Value: Equatable, Failure: Equatable {}
extension PublisherPhase: Hashable where Value: Hashable, Failure: Hashable {}
