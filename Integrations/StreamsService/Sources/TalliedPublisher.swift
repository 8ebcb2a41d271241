import Streams
internal import Synchronization

/// Publishes the values of a bounded subject, and tallies them.
///
/// If it's cancelled because the time has elapsed, it takes the values that are still waiting in the subject, to tally them. The
/// subject has been completed by then, so they end.
struct TalliedPublisher<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let tally: Tally

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(TalliedSubscriber(subscriber, tally))
  }
}

private final class TalliedSubscriber<Downstream: Subscriber>: Subscriber, Subscription {
  // Locked: the subscriber is taken by the completion or by a cancellation on another thread.
  private let downstream: Mutex<UncheckedTransfer<Downstream>?>
  private let upstream = Mutex<UncheckedTransfer<any Subscription>?>(nil)
  private let tally: Tally

  init(_ downstream: Downstream, _ tally: Tally) {
    self.downstream = Mutex(UncheckedTransfer(downstream))
    self.tally = tally
  }

  func receive(subscription: any Subscription) {
    let subscription = UncheckedTransfer(subscription)
    upstream.withLock { $0 = subscription }
    downstream.withLock { $0 }?.value.receive(subscription: self)
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    tally.accept()
    return downstream.withLock { $0 }?.value.receive(input) ?? .none
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    upstream.withLock { $0 = nil }
    downstream.withLock { $0.take() }?.value.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) { upstream.withLock { $0 }?.value.request(demand) }

  func cancel() {
    let downstream = downstream.withLock { $0.take() }
    let subscription = upstream.withLock { $0 }?.value
    if tally.isLate { subscription?.request(.unlimited) } else { subscription?.cancel() }
    withExtendedLifetime(downstream) {}
  }
}

/// A value that crosses threads because a stream does.
// Unchecked: the contract of publishers makes signals serial, and subscriptions safe to call from any thread.
private struct UncheckedTransfer<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
