internal import Synchronization

/// The subscription of a publisher that has already ended. It remembers whether it was cancelled.
@usableFromInline
package final class EndedSubscription: Subscription, CustomStringConvertible {
  private let cancelled = Atomic(false)

  @usableFromInline
  package init() {}

  @usableFromInline
  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  @usableFromInline
  package func request(_ demand: Subscribers.Demand) { _ = demand.isRequest }

  @usableFromInline
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  @usableFromInline
  package var description: String { "Empty" }
}

extension Subscriber {
  /// Receives a subscription and then the completion, unless the subscriber cancels the subscription.
  @inlinable
  package func receiveOnly(_ completion: Subscribers.Completion<Failure>) {
    let subscription = EndedSubscription()
    receive(subscription: subscription)
    if !subscription.isCancelled { receive(completion: completion) }
  }
}
