import StreamTesting
import Streams

/// Publishes the first values, and finishes.
private struct FirstFew<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let count: Int
  let isFaulty: Bool

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(FirstFewSubscriber(count, isFaulty, subscriber))
  }
}

private final class FirstFewSubscriber<Downstream: Subscriber>: Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let count: Int
  private let isFaulty: Bool
  private let downstream: Downstream
  private var subscription: (any Subscription)?
  private var taken = 0

  init(_ count: Int, _ isFaulty: Bool, _ downstream: Downstream) {
    self.count = count
    self.isFaulty = isFaulty
    self.downstream = downstream
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    downstream.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    // The fault: that enough values have been taken is noticed only when one more arrives.
    if isFaulty, taken == count {
      finish()
      return .none
    }
    guard taken < count else { return .none }
    taken += 1
    let demand = downstream.receive(input)
    if !isFaulty, taken == count { finish() }
    return demand
  }

  private func finish() {
    guard let subscription = subscription.take() else { return }
    subscription.cancel()
    downstream.receive(completion: .finished)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if subscription.take() != nil { downstream.receive(completion: completion) }
  }
}

extension PlantedFault {
  /// After ReactiveX/RxJava#3346.
  ///
  /// Shown by `abc` that is not followed by another event at the same time.
  static var lateEnd: Self {
    PlantedFault("the prefix that ends one value late", origin: "museum 17") { isFaulty in
      .letters { letters, scheduler in
        let recorder = scheduler.record(FirstFew(upstream: letters, count: 3, isFaulty: isFaulty))
        let reference = scheduler.record(letters.prefix(3))
        scheduler.run()
        try claim(recorder.events, equals: reference.events, "the third letter is the end")
        let (subscription, expected) = (letters.subscriptions[0], letters.subscriptions[1])
        try claim(subscription.ended == expected.ended, "the subscription to the letters is \(subscription)")
      }
    }
  }
}
