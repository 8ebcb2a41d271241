internal import StreamSchedulers
public import Streams

/// A publisher that behaves correctly except for one misbehavior, which a test selects.
///
/// Use it to test your own operator or subscriber. ``Misbehavior`` describes what each misbehavior sends and what a subscriber
/// should do. This test tries all of them:
///
/// ```swift
/// @Test(arguments: Misbehavior.allCases)
/// func doublingStaysSound(_ misbehavior: Misbehavior) {
///   let source = MisbehavingPublisher([1, 2, 3], misbehavior)
///   var received: [Int] = []
///   let cancellable = source.doubled().prefix(2).sink { value in
///     received.append(value)
///     source.overlap()
///   }
///   #expect(received.count <= 2)
///   cancellable.cancel()
/// }
/// ```
///
/// Apart from the misbehavior, each subscriber receives the values that it requests, and then the completion. Values
/// are sent from inside `request(_:)`, but never during another signal to the same subscriber. The completion follows
/// the last value, or the subscription if there are no values, without a request. Publishers that are created with an
/// interval send their values on a scheduler.
///
/// **Cancellation.** Apart from the misbehavior, nothing is sent after `cancel()`, nothing remains scheduled, and the
/// subscriber is released.
///
/// **Threads.** When a signal comes from another thread, the thread that caused the signal waits until the subscriber has
/// received it. If the subscriber calls `request(_:)`, `cancel()`, or a closure while it holds a lock that it also needs to
/// receive a signal, neither thread can continue. So the wait ends after ten seconds, and the subscriber receives the signal when
/// it releases the lock. If that happens by the end of the delivery in progress, the other signals follow as usual, but don't
/// overlap any more. Otherwise, nothing else is sent.
///
/// **Cost.** O(1) for each signal, and a thread for each signal that comes from another thread.
public final class MisbehavingPublisher<Output, Failure: Error>: Publisher {
  /// The misbehavior, or `nil` for none.
  package let misbehavior: Misbehavior?

  let values: [Output]
  let completion: Subscribers.Completion<Failure>

  /// A closure that schedules the next value, or `nil` to send values as soon as they're requested.
  let arm: ((@escaping () -> Void) -> any Cancellable)?

  private let deliveries = Locked<[any InterruptibleDelivery]>([])
  private let retained = Locked<[Any]>([])

  private init(
    _ values: [Output], _ misbehavior: Misbehavior?, _ completion: Subscribers.Completion<Failure>,
    arm: ((@escaping () -> Void) -> any Cancellable)?
  ) {
    self.values = values
    self.misbehavior = misbehavior
    self.completion = completion
    self.arm = arm
  }

  /// Creates a publisher that sends its values as soon as they're requested, and then a completion.
  ///
  /// ```swift
  /// let source = MisbehavingPublisher([1, 2], .completesTwice, completion: .failure(URLError(.timedOut)))
  /// ```
  ///
  /// - Parameters:
  ///   - values: The values to send.
  ///   - misbehavior: The misbehavior, or `nil` for none.
  ///   - completion: The completion that follows the values.
  public convenience init(
    _ values: [Output], _ misbehavior: Misbehavior?, completion: Subscribers.Completion<Failure>
  ) {
    self.init(values, misbehavior, completion, arm: nil)
  }

  /// Creates a publisher that sends its values one after another on a scheduler, and then a completion.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let source = MisbehavingPublisher(
  ///   [1, 2], .ignoresCancellation, completion: .failure(URLError(.timedOut)), every: .seconds(1), on: scheduler)
  /// ```
  ///
  /// Each value is sent one interval after its request or after the previous value, whichever is later. The completion follows
  /// the last value immediately. A misbehaving signal that relates to another signal, such as a nested value, is sent together
  /// with it.
  ///
  /// - Parameters:
  ///   - values: The values to send.
  ///   - misbehavior: The misbehavior, or `nil` for none.
  ///   - completion: The completion that follows the values.
  ///   - interval: The time before each value.
  ///   - scheduler: The scheduler on which the values are sent.
  public convenience init<S: Scheduler & Sendable>(
    _ values: [Output], _ misbehavior: Misbehavior?, completion: Subscribers.Completion<Failure>,
    every interval: S.SchedulerTimeType.Stride, on scheduler: S
  ) {
    self.init(values, misbehavior, completion) { action in
      let date = scheduler.now.advanced(by: interval)
      return scheduler.scheduleOnce(after: date, tolerance: scheduler.minimumTolerance, options: nil, action)
    }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    switch misbehavior {
    case .sendsNoSubscription: return
    case .sendsWithoutSubscription:
      for value in values { _ = subscriber.receive(value) }
      return subscriber.receive(completion: completion)
    case .sendsBeforeSubscription: if let first = values.first { _ = subscriber.receive(first) }
    case .completesBeforeSubscription: subscriber.receive(completion: completion)
    default: break
    }
    let subscription = MisbehavingSubscription(self, subscriber)
    subscriber.receive(subscription: subscription)
    if misbehavior == .sendsSecondSubscription { subscriber.receive(subscription: Subscriptions.empty) }
    subscription.begin()
  }

  /// Sends the next signal from inside the current delivery, if the publisher misbehaves in that way.
  ///
  /// Call it from a closure that the stream runs for a value:
  ///
  /// ```swift
  /// let source = MisbehavingPublisher([1, 2, 3], .nestsValues)
  /// let cancellable = source.doubled().sink { value in
  ///   received.append(value)
  ///   source.overlap()   // The next value is received before this returns.
  /// }
  /// ```
  ///
  /// A subscriber that calls `request(_:)` during a delivery gives the publisher the same opportunity. Most don't: sinks,
  /// recorders and operators return demand from `receive(_:)`, or request all values at the beginning.
  ///
  /// The call has an effect for ``Misbehavior/nestsValues``, ``Misbehavior/overlapsOnAnotherThread`` and
  /// ``Misbehavior/completesDuringValue``, and only during a delivery that no other signal overlaps. It affects all
  /// subscribers that are receiving a value.
  public func overlap() {
    for delivery in deliveries.withLock({ $0 }) { delivery.overlap() }
  }

  func begin(_ delivery: any InterruptibleDelivery) {
    deliveries.withLock { $0.append(delivery) }
  }

  func end(_ delivery: any InterruptibleDelivery) {
    let ended = deliveries.withLock { deliveries in
      deliveries.firstIndex { $0 === delivery }.map { deliveries.remove(at: $0) }
    }
    withExtendedLifetime(ended) {}
  }

  /// Retains a subscriber for as long as the publisher exists.
  func retain(_ subscriber: Any) { retained.withLock { $0.append(subscriber) } }
}

extension MisbehavingPublisher where Failure == Never {
  /// Creates a publisher that sends its values as soon as they're requested, and finishes.
  ///
  /// ```swift
  /// let source = MisbehavingPublisher([1, 2, 3], .sendsBeyondDemand)
  /// ```
  ///
  /// - Parameters:
  ///   - values: The values to send.
  ///   - misbehavior: The misbehavior, or `nil` for none.
  public convenience init(_ values: [Output], _ misbehavior: Misbehavior?) {
    self.init(values, misbehavior, completion: .finished)
  }

  /// Creates a publisher that sends its values one after another on a scheduler, and finishes.
  ///
  /// ```swift
  /// let scheduler = DispatchQueue.test
  /// let source = MisbehavingPublisher([1, 2, 3], .ignoresCancellation, every: .seconds(1), on: scheduler)
  /// ```
  ///
  /// The times are those that ``init(_:_:completion:every:on:)`` describes.
  ///
  /// - Parameters:
  ///   - values: The values to send.
  ///   - misbehavior: The misbehavior, or `nil` for none.
  ///   - interval: The time before each value.
  ///   - scheduler: The scheduler on which the values are sent.
  public convenience init<S: Scheduler & Sendable>(
    _ values: [Output], _ misbehavior: Misbehavior?, every interval: S.SchedulerTimeType.Stride, on scheduler: S
  ) {
    self.init(values, misbehavior, completion: .finished, every: interval, on: scheduler)
  }
}

// Unchecked: mutable state is behind locks, and `arm` captures only a `Sendable` scheduler and a constant interval.
extension MisbehavingPublisher: @unchecked Sendable where Output: Sendable {}

/// A delivery during which another signal can be sent.
protocol InterruptibleDelivery: AnyObject {
  /// Sends the next signal from inside the delivery.
  func overlap()
}
