public import Streams

/// A value from one publisher, or a signal that another publisher has sent a value.
@usableFromInline @frozen
enum BoundarySignal<Value> {
  case value(Value)
  case boundary
}

/// A publisher that sends each value from `upstream`, and a boundary for each value from `boundary`. It finishes when
/// `upstream` does.
@usableFromInline @frozen
struct Delimited<Upstream: Publisher, Boundary: Publisher>: Publisher where Boundary.Failure == Upstream.Failure {
  @usableFromInline typealias Output = BoundarySignal<Upstream.Output>
  @usableFromInline typealias Failure = Upstream.Failure
  @usableFromInline let upstream: Upstream
  @usableFromInline let boundary: Boundary

  @inlinable
  init(upstream: Upstream, boundary: Boundary) {
    self.upstream = upstream
    self.boundary = boundary
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let engine = MergeEngine(
      SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 2, .delimited)
    engine.attach(upstream.mapPart { Output.value($0) }, slot: 1)
    engine.attach(boundary.mapPart { _ in Output.boundary }, slot: 2)
  }
}
