/// A publisher that fails immediately with an error.
///
///     Fail<Int, LoadError>(error: .timeout).sink { print($0) } receiveValue: { _ in }   // fails
///
/// ![The result fails.](diagram-fail)
///
/// The failure doesn't wait for demand.
@frozen
public struct Fail<Output, Failure: Error>: Publisher {
  public let error: Failure

  /// Creates a publisher that fails with an error.
  ///
  /// - Parameter error: The error that the publisher fails with.
  @inlinable
  public init(error: Failure) { self.error = error }

  /// Creates a publisher with the given output type that fails with an error.
  ///
  /// - Parameters:
  ///   - outputType: The publisher's output type.
  ///   - failure: The error that the publisher fails with.
  @inlinable
  public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receiveOnly(.failure(error))
  }
}

extension Fail: Equatable where Failure: Equatable {}
extension Fail: Sendable where Failure: Sendable {}
