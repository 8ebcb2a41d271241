public import Streams

extension Publisher {
  /// Names this point in a chain of operators, for descriptions of live streams.
  ///
  ///     $query.debounce(for: 0.3, scheduler: queue).checkpoint("query has settled").flatMapLatest(search)
  ///
  /// ![The source publishes a, b and c and finishes; the result publishes a, b and c and finishes.](diagram-checkpoint)
  ///
  /// Values, demand, completion and cancellation pass through unchanged, on upstream's thread. Each subscriber costs one
  /// object, and each value costs one comparison. The name doesn't have to be unique. To print values, use
  /// ``/Streams/Publisher/print(_:to:)``.
  ///
  /// - Parameter name: The name of this point.
  @inlinable @_disfavoredOverload
  public __consuming func checkpoint(_ name: String) -> CheckpointPublisher<Self> {
    CheckpointPublisher(upstream: self, name: name)
  }
}

/// The publisher that ``Streams/Publisher/checkpoint(_:)`` returns.
@frozen
public struct CheckpointPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let name: String

  @inlinable
  init(upstream: Upstream, name: String) {
    self.upstream = upstream
    self.name = name
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(CheckpointSubscriber(subscriber, AnnotatedLink(name: name)))
  }
}

extension CheckpointPublisher: Equatable where Upstream: Equatable {}

/// Puts its link between upstream and downstream.
@usableFromInline @frozen
struct CheckpointSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let link: AnnotatedLink

  @inlinable
  init(_ downstream: Downstream, _ link: AnnotatedLink) {
    self.downstream = downstream
    self.link = link
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  var _upstreamLink: SubscriberLink? { SubscriberLink(link) }

  @inlinable
  func receive(subscription: any Subscription) {
    guard link.connect(subscription) else { return }
    if link.isDirect { downstream.declareUpstreamSerial() }
    downstream.receive(subscription: link)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    link.isForwarding ? downstream.receive(input) : .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }
}

extension CheckpointSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("checkpoint", to: Downstream.self)
  }
}

extension CheckpointPublisher: Sendable where Upstream: Sendable {}
