/// A subscriber between downstream and a subject to which an external source sends. It passes values on, and ends the source
/// when downstream cancels.
package struct ExternalSourceSubscriber<Downstream: Subscriber>: Subscriber {
  private let downstream: Downstream
  private let source: ExternalSourceSubscription.Source

  /// Creates the subscriber.
  ///
  /// - Parameters:
  ///   - name: The name of the source.
  ///   - downstream: The subscriber that receives the values.
  ///   - facts: A closure that tells an inspection what the source is doing.
  ///   - end: A closure that ends the source. It's called once, without a lock, when the subscriber cancels.
  package init(
    _ name: String, _ downstream: Downstream, facts: ((StreamFact.Tell) -> Void)? = nil, end: @escaping () -> Void
  ) {
    self.downstream = downstream
    source = ExternalSourceSubscription.Source(name: name, subscriber: Self.self, facts: facts, end: end)
  }

  package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  package func receive(subscription: any Subscription) {
    downstream.receive(subscription: ExternalSourceSubscription(subscription, source))
  }

  package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

  package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }
}

extension ExternalSourceSubscriber: InspectedSubscriber {
  // The subscription tells the name.
  package static var role: SubscriberRole { .sends(name: nil, to: Downstream.self) }
}

private final class ExternalSourceSubscription: Subscription, CustomStringConvertible {
  struct Source {
    let name: String
    let subscriber: Any.Type
    let facts: ((StreamFact.Tell) -> Void)?
    let end: () -> Void
  }

  let description: String
  /// The upstream subscription and the source, or `nil` after the cancellation.
  private let state: Locked<(upstream: any Subscription, source: Source)?>

  init(_ upstream: any Subscription, _ source: Source) {
    state = Locked((upstream, source))
    description = source.name
  }

  func request(_ demand: Subscribers.Demand) { state.withLock { $0?.upstream }?.request(demand) }

  func cancel() {
    guard let (upstream, source) = state.withLock({ $0.take() }) else { return }
    upstream.cancel()
    source.end()
  }
}

extension ExternalSourceSubscription: InspectedPart {
  func inspect(_ tell: StreamFact.Tell) {
    tell(.sourceName, 0, StreamFact.Box(description))
    guard let (upstream, source) = state.withLock({ $0 }) else { return tell(.over, 0, nil) }
    tell(.senderType, unsafeBitCast(source.subscriber, to: Int.self), nil)
    // The subject's subscription has counted the values. A program doesn't know that subscription, so the other facts are left
    // out.
    var subscriber: StreamFact.Box?
    StreamFact.tell(of: upstream as AnyObject) { fact, number, object in
      switch fact {
      case .sent: tell(.sent, number, nil)
      case .subscriber: subscriber = object as? StreamFact.Box
      default: break
      }
    }
    if let next = subscriber.flatMap({ Mirror(reflecting: $0.content).descendant("downstream") }) {
      tell(.subscriber, 0, StreamFact.Box(next))
    }
    source.facts?(tell)
  }
}
