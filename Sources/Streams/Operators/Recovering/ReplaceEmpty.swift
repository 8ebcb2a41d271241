extension Publisher {
  /// Publishes a value if upstream finishes without publishing one.
  ///
  ///     Empty<Int, Never>().replaceEmpty(with: 0)   // 0
  ///
  /// ![The source finishes; the result publishes 0 and finishes.](diagram-replaceEmpty)
  ///
  /// The value waits for demand. Values, failure, demand and cancellation pass through unchanged.
  ///
  /// - Parameter output: The value to publish.
  @inlinable
  public __consuming func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/replaceEmpty(with:)`` returns.
  @frozen
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let output: Upstream.Output

    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(ReplaceEmptySubscriber(output, subscriber))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// Forwards values. Only the value path (the serial calls to `receive`) accesses `isEmpty`.
///
/// By the time upstream finishes, the one-shot delivery `shot` may have recorded a request. The request matters only if no
/// value has arrived.
@usableFromInline @_fixed_layout
final class ReplaceEmptySubscriber<Downstream: Subscriber>: Subscriber {
  // Exclusive: only the value path accesses `isEmpty`, and each access is a single load or store.
  @usableFromInline let output: Downstream.Input
  @usableFromInline let downstream: Downstream
  @usableFromInline let link = UpstreamLink()
  @usableFromInline let shot = SingleValueSource()
  @usableFromInline @exclusivity(unchecked) var isEmpty = true

  @inlinable
  init(_ output: Downstream.Input, _ downstream: Downstream) {
    self.output = output
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard link.connect(subscription), shot.connect(link, of: self, { self.deliver($0) }) else { return }
    downstream.receive(subscription: ReplaceEmptySubscription(link, shot))
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard link.isForwarding else { return .none }
    isEmpty = false
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    guard link.finish() else { return }
    if isEmpty, case .finished = completion {
      shot.becomeReady()
    } else if shot.finish() {
      downstream.receive(completion: completion)
    }
  }

  @inlinable
  func deliver(_ shot: SingleValueSource) {
    _ = downstream.receive(output)
    if shot.finish() { downstream.receive(completion: .finished) }
  }
}

extension ReplaceEmptySubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole {
    .links("replaceEmpty(with:)", to: Downstream.self)
  }
}

/// Forwards requests upstream and to the one-shot delivery of the replacement.
@usableFromInline @_fixed_layout
final class ReplaceEmptySubscription: Subscription {
  @usableFromInline let link: UpstreamLink
  @usableFromInline let shot: SingleValueSource

  @inlinable
  init(_ link: UpstreamLink, _ shot: SingleValueSource) {
    self.link = link
    self.shot = shot
  }

  @usableFromInline var combineIdentifier: CombineIdentifier { shot.combineIdentifier }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    shot.request(demand)
    link.request(demand)
  }

  @usableFromInline
  func cancel() { shot.cancel() }
}

extension Publishers.ReplaceEmpty: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
