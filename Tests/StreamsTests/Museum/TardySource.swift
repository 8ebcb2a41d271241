import Streams

/// A publisher that sends its subscriber a subscription when a test says so.
final class TardySource<Output, Failure: Error>: Publisher {
  /// What records the requests and the cancellations of the subscription.
  let link = ManualSource<Output, Failure>()
  private var subscriber: AnySubscriber<Output, Failure>?

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    self.subscriber = AnySubscriber(subscriber)
  }

  func begin() { subscriber?.receive(subscription: link.subscription) }
  func send(_ value: Output) { _ = subscriber?.receive(value) }
  func finish() { subscriber?.receive(completion: .finished) }
}
