extension Publisher {
  /// Returns the publisher of an operator that is only a part of another one, which a program doesn't know. When a stream is
  /// inspected, the part isn't shown.
  @inlinable @inline(__always)
  package func asPart() -> PartPublisher<Self> { PartPublisher(self) }
}

/// Tells the inspection that what is directly upstream is a part of the operator downstream, and does nothing else.
@usableFromInline @frozen
package struct PartPublisher<Base: Publisher>: Publisher {
  @usableFromInline package typealias Output = Base.Output
  @usableFromInline package typealias Failure = Base.Failure
  @usableFromInline let base: Base

  @inlinable
  init(_ base: Base) { self.base = base }

  @inlinable @inline(__always)
  package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    base.receive(subscriber: PartSubscriber(subscriber))
  }
}

@usableFromInline @frozen
struct PartSubscriber<Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable @inline(__always)
  func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }
}

extension PartSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .belongs(to: Downstream.self) }
}
