package import Streams

/// A publisher that a test drives by hand, and that records its requests.
///
/// Values are sent to the latest subscriber, whether it has requested them or not.
package final class ManualSource<Output, Failure: Error>: Publisher {
  package init() {}

  package private(set) var requests: [Subscribers.Demand] = []
  package private(set) var demand = Subscribers.Demand.none
  package private(set) var cancelCount = 0
  package private(set) var subscriberCount = 0
  package var onSubscribe: () -> Void = {}
  package var onCancel: () -> Void = {}

  /// Indicates whether the source continues to send after it has been cancelled, as a source on another thread may for
  /// a moment.
  package var ignoresCancellation = false
  private var subscriber: AnySubscriber<Output, Failure>?

  /// A further subscription, which a test sends itself.
  package var subscription: any Subscription { ManualSubscription(self) }

  package func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriberCount += 1
    onSubscribe()
    self.subscriber = AnySubscriber(subscriber)
    subscriber.receive(subscription: ManualSubscription(self))
  }

  @discardableResult
  package func send(_ value: Output) -> Subscribers.Demand {
    let more = subscriber?.receive(value) ?? .none
    demand += more
    return more
  }

  package func finish() { end(.finished) }
  package func fail(_ error: Failure) { end(.failure(error)) }

  private func end(_ completion: Subscribers.Completion<Failure>) {
    let subscriber = subscriber
    if !ignoresCancellation { self.subscriber = nil }
    subscriber?.receive(completion: completion)
  }

  fileprivate func request(_ more: Subscribers.Demand) {
    requests.append(more)
    demand += more
  }

  fileprivate func cancel() {
    cancelCount += 1
    onCancel()
    if !ignoresCancellation { subscriber = nil }
  }
}

private final class ManualSubscription<Output, Failure: Error>: Subscription {
  private let source: ManualSource<Output, Failure>

  init(_ source: ManualSource<Output, Failure>) { self.source = source }

  func request(_ demand: Subscribers.Demand) { source.request(demand) }
  func cancel() { source.cancel() }
}
