extension Publisher {
  /// The values of this publisher as an asynchronous sequence.
  ///
  ///     for await value in [1, 2, 3].publisher.values { print(value) }   // 1 2 3
  ///
  /// The loop ends when the publisher does. In a test, end a loop over a subject that never completes with `prefix(_:)`. A loop
  /// requests each value when it awaits one. A publisher that doesn't wait for demand, such as a ``PassthroughSubject``, drops
  /// values while the loop is busy. Debug builds report the first such drop. To keep these values, use
  /// ``buffer(size:prefetch:whenFull:)``. For cancellation, failures and threads, see ``AsyncPublisher``.
  @inlinable
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// An asynchronous sequence of a publisher's values. The publisher's `values` property creates it.
///
/// - Each iterator has its own subscription, which begins when the iterator is created.
/// - You receive values in the order in which they were sent. At the end, `next` returns `nil` or throws the failure once. After
///   that, it always returns `nil`. Buffered values come before a failure.
/// - The thrown error has the publisher's failure type. If that type is `Never`, your loop doesn't need `try`.
/// - When the task is cancelled, `next` returns `nil` and upstream is cancelled. This happens immediately while you await a
///   value, otherwise at the next call. Buffered values are then dropped.
/// - When you leave the loop or release the iterator, upstream is cancelled.
/// - The loop stays on its actor. The thread that sends a value resumes the task that awaits it and doesn't wait for the task.
/// - An available value is returned without suspending the task and without an allocation.
///
/// The names `AsyncPublisher` and ``AsyncThrowingPublisher`` come from Combine, where they are two types.
@frozen
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  /// The type of the publisher's values.
  public typealias Element = P.Output

  /// The type of the errors that the publisher can fail with.
  public typealias Failure = P.Failure

  @usableFromInline let publisher: P
  @usableFromInline let buffering: AwaitedBuffering
  /// The error to throw if the loop fails because a value doesn't fit.
  @usableFromInline let overflowError: P.Failure?
  /// Indicates whether to report a subject that drops a value while the loop is busy. False if the program has chosen how to
  /// buffer values.
  @usableFromInline let reportsDrops: Bool

  /// Creates an asynchronous sequence that requests a publisher's values one at a time.
  ///
  /// - Parameter publisher: The publisher that the iterators subscribe to.
  @inlinable
  public init(_ publisher: P) {
    self.publisher = publisher
    buffering = .none
    overflowError = nil
    reportsDrops = true
  }

  /// Creates an asynchronous sequence that buffers a publisher's values.
  @inlinable
  package init(_ publisher: P, buffering: AwaitedBuffering, overflowError: P.Failure? = nil) {
    self.publisher = publisher
    self.buffering = buffering
    self.overflowError = overflowError
    reportsDrops = false
  }

  /// Subscribes to the publisher.
  ///
  /// - Returns: An iterator over the values of the new subscription.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    let values = AwaitedValues<P.Output, P.Failure>(
      buffering, overflowError: overflowError, reportsDrops: reportsDrops)
    publisher.receive(subscriber: AwaitedValuesSubscriber(values))
    return Iterator(AwaitedSubscription(values))
  }

  /// A subscription whose values you await.
  ///
  /// If a second task starts to await a value at the same time, the program stops with a message. The compiler prevents that,
  /// because an iterator isn't `Sendable`.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: AwaitedSubscription<P.Output, P.Failure>

    // `next` is inlined, so returning an available value doesn't switch executors. A call that isn't inlined switches several
    // times, which takes 700 instructions.

    @inlinable
    init(_ subscription: AwaitedSubscription<P.Output, P.Failure>) { self.subscription = subscription }

    /// Waits for the next value, on the caller's actor.
    ///
    /// - Returns: The next value, or `nil` at the end or when the task has been cancelled.
    /// - Throws: The error with which the sequence fails. Only one call throws it.
    @inlinable @inline(__always)
    nonisolated(nonsending)
      public mutating func next() async throws(P.Failure) -> P.Output?
    {
      if let value = subscription.values.takeAvailable() { return value }
      return try await subscription.values.wait(isolation: #isolation)
    }

    /// Waits for the next value, on an actor, like ``next()``.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? {
      if let value = subscription.values.takeAvailable() { return value }
      return try await subscription.values.wait(isolation: actor)
    }

    /// Returns the next value if it's available without waiting.
    @inlinable @inline(__always)
    package mutating func takeAvailable() -> P.Output? { subscription.values.takeAvailable() }
  }
}

extension AsyncPublisher: Sendable where P: Sendable {}

@available(*, unavailable)
extension AsyncPublisher.Iterator: Sendable {}

/// An asynchronous sequence of values from a publisher that can fail.
///
/// It's the same type as ``AsyncPublisher``, which throws its publisher's failure.
public typealias AsyncThrowingPublisher<P: Publisher> = AsyncPublisher<P>

/// The object that an iterator holds. Releasing the object cancels upstream.
///
/// It stands between the iterator and the values because upstream also retains the values.
@usableFromInline @_fixed_layout
final class AwaitedSubscription<Output, Failure: Error> {
  @usableFromInline let values: AwaitedValues<Output, Failure>

  @inlinable
  init(_ values: AwaitedValues<Output, Failure>) { self.values = values }

  @inlinable
  deinit { values.cancel() }
}

/// A subscriber that stores the values until they're awaited.
@usableFromInline @frozen
struct AwaitedValuesSubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let values: AwaitedValues<Input, Failure>

  @inlinable
  init(_ values: AwaitedValues<Input, Failure>) { self.values = values }

  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(values) }

  @inlinable
  var _upstreamLink: SubscriberLink? { SubscriberLink(values) }

  @inlinable
  func receive(subscription: any Subscription) {
    if values.connect(subscription), values.initialDemand != .none { subscription.request(values.initialDemand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { values.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { values.end(completion) }
}

extension AwaitedValuesSubscriber: InspectedSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }
}
