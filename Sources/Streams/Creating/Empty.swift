/// A publisher that sends no value, and finishes at once or never.
///
///     Empty<Int, Never>().sink { _ in print("end") } receiveValue: { _ in }   // end
///
/// ![Marble diagram of Empty](diagram-empty)
@frozen
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
  /// Whether it finishes at once; if not, it never does.
  public let completeImmediately: Bool

  /// Makes an empty publisher.
  @inlinable
  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  /// Makes an empty publisher of the given kinds of values and errors.
  @inlinable
  public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
    self.init(completeImmediately: completeImmediately)
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if completeImmediately {
      subscriber.receiveOnly(.finished)
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }
}
