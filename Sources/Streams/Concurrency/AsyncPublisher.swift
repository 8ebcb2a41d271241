extension Publisher {
  /// The values of this publisher as an asynchronous sequence.
  ///
  ///     for await value in [1, 2, 3].publisher.values { print(value) }   // 1 2 3
  ///
  /// The loop ends when the publisher does: that of a subject that never completes goes on, so in a test, let `prefix(_:)`
  /// end it. It requests one value at a time, when one is awaited. A publisher that does not wait for demand, such as a
  /// ``PassthroughSubject``, drops values that it sends while the loop is busy, which debug builds report;
  /// ``values(bounded:whenFull:)`` and ``values(buffering:)`` keep them. For cancellation, failures and threads see
  /// ``AsyncPublisher``.
  @inlinable
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }

  /// The values of this publisher as an asynchronous sequence that buffers those that are not awaited yet.
  ///
  ///     for await position in positions.values(buffering: .newest(1)) { await draw(position) }
  ///
  /// Demand is requested when the iterator is made, so nothing that is sent from then on is missed. With `.bounded(n)`,
  /// that is `n` values, and once half of them have been taken, as many as were taken; upstream thus never has demand
  /// for more than `n`, and nothing is lost unless upstream drops values for which there is no demand. With
  /// `.unbounded`, `.oldest(n)` and `.newest(n)`, demand is unlimited. For cancellation, failures and threads see
  /// ``AsyncPublisher``.
  ///
  /// - Parameter policy: The policy for values that are not awaited yet. A number of values below one stops the program
  ///   with a message.
  /// - Returns: An asynchronous sequence whose iterators subscribe to this publisher.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public func values(buffering policy: AsyncBufferingPolicy) -> AsyncPublisher<Self> {
    AsyncPublisher(self, buffering: policy)
  }
}

/// An asynchronous sequence of the values of a publisher; `values` creates it.
///
/// - Each iterator is a subscription of its own, which begins when the iterator is made.
/// - Values are returned in the order in which they were sent. At the end, `next` returns `nil`, or throws the failure
///   once; after that it always returns `nil`. Buffered values are returned before a failure is thrown.
/// - The type of the thrown error is the failure type of the publisher: if that is `Never`, a loop needs no `try`.
/// - When the task is cancelled, `next` returns `nil` and upstream is cancelled: at once while a value is awaited,
///   otherwise at the next call. Buffered values are then dropped.
/// - When the loop is left, or the iterator is released, upstream is cancelled.
/// - The loop stays on its actor. The thread that sends a value resumes the task that awaits it, and does not wait for
///   the task.
/// - A value that is already available is returned without suspending the task, and without an allocation.
///
/// The names `AsyncPublisher` and ``AsyncThrowingPublisher`` are those of Combine, where they are two types.
@frozen
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  /// The type of the publisher's values.
  public typealias Element = P.Output

  /// The type of the errors with which the publisher may fail.
  public typealias Failure = P.Failure

  @usableFromInline let publisher: P
  @usableFromInline let policy: AsyncBufferingPolicy
  /// Indicates whether a subject that drops a value while the loop is busy is reported: nobody has said that it may.
  @usableFromInline let reportsDrops: Bool

  /// Creates the sequence of a publisher's values, which are requested one at a time.
  ///
  /// - Parameter publisher: The publisher to which the iterators subscribe.
  @inlinable
  public init(_ publisher: P) {
    self.publisher = publisher
    policy = .unbuffered
    reportsDrops = true
  }

  /// Creates the sequence of a publisher's values, which are buffered according to a policy.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to which the iterators subscribe.
  ///   - policy: The policy for values that are not awaited yet. A number of values below one stops the program with a
  ///     message.
  @inlinable
  public init(_ publisher: P, buffering policy: AsyncBufferingPolicy) {
    switch policy {
    case .bounded(let count), .oldest(let count), .newest(let count):
      require(
        count > 0,
        or: "values(buffering:) requires a number of at least 1, got .\(policy). Use .unbuffered to buffer no values.")
    case .unbuffered, .unbounded: break
    }
    self.publisher = publisher
    self.policy = policy
    reportsDrops = false
  }

  /// Subscribes to the publisher.
  ///
  /// - Returns: An iterator over the values that are sent from now on.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    let values = AwaitedValues<P.Output, P.Failure>(policy, reportsDrops: reportsDrops)
    publisher.receive(subscriber: AwaitedValuesSubscriber(values))
    return Iterator(AwaitedSubscription(values))
  }

  /// A subscription whose values are awaited.
  ///
  /// Only one task at a time may await a value. The program stops with a message if another task calls `next`
  /// meanwhile, which requires circumventing the check that an iterator is not `Sendable`.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: AwaitedSubscription<P.Output, P.Failure>

    // `next` is inlined, so that returning an available value needs no switches of executors: a call has several, which
    // take 700 instructions.

    @inlinable
    init(_ subscription: AwaitedSubscription<P.Output, P.Failure>) { self.subscription = subscription }

    /// Waits for the next value, on the caller's actor.
    ///
    /// - Returns: The next value; `nil` at the end, or when the task has been cancelled.
    /// - Throws: The failure of the publisher, once.
    @inlinable @inline(__always)
    nonisolated(nonsending)
      public mutating func next() async throws(P.Failure) -> P.Output?
    {
      if let value = subscription.values.takeAvailable() { return value }
      return try await subscription.values.wait(isolation: #isolation)
    }

    /// Waits for the next value, on an actor.
    ///
    /// - Parameter actor: The actor on which the caller continues.
    /// - Returns: The next value; `nil` at the end, or when the task has been cancelled.
    /// - Throws: The failure of the publisher, once.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? {
      if let value = subscription.values.takeAvailable() { return value }
      return try await subscription.values.wait(isolation: actor)
    }
  }
}

extension AsyncPublisher: Sendable where P: Sendable {}

@available(*, unavailable)
extension AsyncPublisher.Iterator: Sendable {}

/// An asynchronous sequence of the values of a publisher that can fail: the same type as ``AsyncPublisher``, which
/// throws its publisher's failure.
public typealias AsyncThrowingPublisher<P: Publisher> = AsyncPublisher<P>

/// The object that an iterator holds; when it is released, upstream is cancelled.
///
/// It stands between the iterator and the values because upstream retains the values, too.
@usableFromInline @_fixed_layout
final class AwaitedSubscription<Output, Failure: Error> {
  @usableFromInline let values: AwaitedValues<Output, Failure>

  @inlinable
  init(_ values: AwaitedValues<Output, Failure>) { self.values = values }

  @inlinable
  deinit { values.cancel() }
}

/// A subscriber that stores the values until they are awaited.
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
