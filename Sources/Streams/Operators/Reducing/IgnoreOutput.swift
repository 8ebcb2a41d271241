extension Publisher {
  /// Drops all values and publishes only the completion.
  ///
  ///     [1, 2].publisher.ignoreOutput()   // finishes
  ///
  /// ![The source publishes 1 and 2 and finishes; the result finishes.](diagram-ignoreOutput)
  ///
  /// The operator requests unlimited demand from upstream on subscription, because a completion doesn't need demand. Completion
  /// and cancellation pass through unchanged.
  @inlinable
  public __consuming func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}

extension Publishers {
  /// The publisher that ``Publisher/ignoreOutput()`` returns.
  @frozen
  public struct IgnoreOutput<Upstream: Publisher>: Publisher {
    /// This publisher doesn't publish any values.
    public typealias Output = Never
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(IgnoreOutputSubscriber<Upstream.Output, _>(subscriber))
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct IgnoreOutputSubscriber<Input, Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Failure = Downstream.Failure
  @usableFromInline let downstream: Downstream
  @usableFromInline let link = DrainingLink()

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) {
    guard link.connect(subscription) else { return }
    downstream.receive(subscription: link)
    if link.isForwarding { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { .none }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if link.finish() { downstream.receive(completion: completion) }
  }
}

extension IgnoreOutputSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("ignoreOutput", to: Downstream.self)
  }
}

/// A link (the connection to an upstream subscription) that ignores requests, because its subscriber requests unlimited demand.
@usableFromInline
final class DrainingLink: UpstreamLink {
  @usableFromInline
  override func request(_ demand: Subscribers.Demand) { _ = demand.isRequest }
}

extension Publishers.IgnoreOutput: Sendable where Upstream: Sendable {}
