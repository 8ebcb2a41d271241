/// A publisher that doesn't send values and finishes immediately or never.
///
///     Empty<Int, Never>().sink { _ in print("end") } receiveValue: { _ in }   // end
///
/// ![The result finishes.](diagram-empty)
///
/// The completion doesn't wait for demand.
@frozen
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
  public let completeImmediately: Bool

  /// Creates an empty publisher.
  ///
  /// - Parameter completeImmediately: `true` to finish on subscription, `false` to never finish.
  @inlinable
  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  /// Creates an empty publisher with the given output and failure types.
  ///
  /// - Parameters:
  ///   - completeImmediately: `true` to finish on subscription, `false` to never finish.
  ///   - outputType: The publisher's output type.
  ///   - failureType: The publisher's failure type.
  @inlinable
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.init(completeImmediately: completeImmediately)
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if completeImmediately {
      subscriber.receiveOnly(.finished)
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }
}
