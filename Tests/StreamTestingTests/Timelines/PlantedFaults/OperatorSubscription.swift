import Streams

/// The base class of operators in these tests: a subscriber that is also the subscription of its downstream.
///
/// It requests unlimited demand from upstream, and drops values for which downstream has no demand. It has no lock: these
/// operators only run on a test scheduler.
class OperatorSubscription<Input, Downstream: Subscriber>: Subscriber, Subscription {
  typealias Failure = Downstream.Failure

  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var demand = Subscribers.Demand.none

  init(_ downstream: Downstream) { self.downstream = downstream }

  func receive(subscription: any Subscription) {
    upstream = subscription
    downstream?.receive(subscription: self)
    upstream?.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    take(input)
    return .none
  }

  /// Handles a value; for subclasses.
  func take(_ input: Input) {}

  func receive(completion: Subscribers.Completion<Failure>) { end(completion) }

  func request(_ demand: Subscribers.Demand) { self.demand += demand }

  func cancel() {
    upstream?.cancel()
    upstream = nil
    downstream = nil
  }

  func send(_ value: Downstream.Input) {
    guard let downstream, demand > .none else { return }
    demand -= 1
    demand += downstream.receive(value)
  }

  func end(_ completion: Subscribers.Completion<Failure>) {
    let downstream = downstream.take()
    upstream = nil
    downstream?.receive(completion: completion)
  }
}
