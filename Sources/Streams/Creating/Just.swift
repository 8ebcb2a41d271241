/// A publisher that sends one value and finishes.
///
///     Just(1).sink { print($0) }   // 1
///
/// ![The result publishes 1 and finishes.](diagram-just)
///
/// The value waits for demand. Each subscription allocates two small objects. Operators that `Just` declares itself, such as
/// ``map(_:)``, run their closures when you apply them, as in Combine, not once for each subscriber. Otherwise, they work like
/// those in ``Publisher``.
@frozen
public struct Just<Output>: Publisher {
  public typealias Failure = Never

  public let output: Output

  /// Creates a publisher that sends one value.
  ///
  /// - Parameter output: The value to send.
  @inlinable
  public init(_ output: Output) { self.output = output }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    SingleValueSource.send(output, to: subscriber)
  }
}

extension Just: Equatable where Output: Equatable {}
extension Just: Sendable where Output: Sendable {}

extension SingleValueSource {
  /// Sends a value once it's requested, and then the completion.
  @inlinable @inline(__always)
  static func send<S: Subscriber>(_ output: S.Input, to subscriber: S) {
    let source = ValueSource(output, subscriber)
    let shot = source.makeShot()
    subscriber.receive(subscription: shot)
    // The value becomes available only now, so it doesn't arrive while the subscriber is receiving its subscription.
    shot.begin()
  }
}

@usableFromInline @_fixed_layout
final class ValueSource<Downstream: Subscriber> {
  @usableFromInline let output: Downstream.Input
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ output: Downstream.Input, _ downstream: Downstream) {
    self.output = output
    self.downstream = downstream
  }

  // A method, so that the closure captures only this object.
  @inlinable @inline(__always)
  func makeShot() -> SingleValueSource { SingleValueSource(of: self) { self.deliver($0) } }

  @inlinable
  func deliver(_ shot: SingleValueSource) {
    _ = downstream.receive(output)
    if shot.finish() { downstream.receive(completion: .finished) }
  }
}

extension ValueSource: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .sends(name: "Just", to: Downstream.self) }
}
