/// A publisher that fails at once.
///
/// ![Marble diagram of Fail](diagram-fail)
///
/// The failure does not wait for demand.
@frozen
public struct Fail<Output, Failure: Error>: Publisher {
  /// What it fails with.
  public let error: Failure

  /// Makes a publisher that fails.
  @inlinable
  public init(error: Failure) { self.error = error }

  /// Makes a publisher of the given kind of values that fails.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receiveOnly(.failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable where Failure: Sendable {}
