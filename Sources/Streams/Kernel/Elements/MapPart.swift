extension Publisher {
  /// Transforms each value, as a part of another operator. Inspection doesn't show this part.
  @inlinable @inline(__always)
  package func mapPart<T>(_ transform: @escaping (Output) -> T) -> MapPart<Self, T> { MapPart(self, transform) }
}

@usableFromInline @frozen
package struct MapPart<Upstream: Publisher, Output>: Publisher {
  @usableFromInline package typealias Failure = Upstream.Failure
  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: (Upstream.Output) -> Output

  @inlinable
  init(_ upstream: Upstream, _ transform: @escaping (Upstream.Output) -> Output) {
    self.upstream = upstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(MapPartSubscriber(subscriber, transform))
  }
}

@usableFromInline @frozen
struct MapPartSubscriber<Input, Downstream: Subscriber>: PassthroughSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable
  init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(transform(input)) }
}

extension MapPartSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .passes("", to: Downstream.self) }
}
