extension Publisher {
  /// The values of this publisher as an asynchronous sequence.
  ///
  ///     for await value in [1, 2, 3].publisher.values { print(value) }   // 1 2 3
  ///
  /// It asks for one value at a time, when one is awaited. A publisher that does not wait for demand, such as a
  /// ``PassthroughSubject``, drops what it sends while the loop is busy; ``values(buffering:)`` keeps that. Everything else is
  /// said with ``AsyncPublisher``.
  @inlinable
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }

  /// The values of this publisher as an asynchronous sequence that keeps those that are not awaited yet.
  ///
  ///     for await position in positions.values(buffering: .newest(1)) { await draw(position) }
  ///
  /// Upstream is asked when the iterator is made, so nothing that is sent from then on is missed. With `.bounded(n)` it is
  /// asked for `n` values, and again for as many as were taken when that is half of them; so upstream never has more than `n`
  /// to send, and nothing is lost unless upstream drops values that nobody asked for. With `.unbounded`, `.oldest(n)` and
  /// `.newest(n)` demand is unlimited. Everything else is said with ``AsyncPublisher``.
  ///
  /// - Precondition: The number of values to keep is positive.
  @inlinable
  public func values(buffering policy: AsyncBufferingPolicy) -> AsyncPublisher<Self> {
    AsyncPublisher(self, buffering: policy)
  }
}

/// The values of a publisher as an asynchronous sequence; `values` makes it.
///
/// - Each iterator is a subscription of its own, which begins when the iterator is made.
/// - Values come in the order in which they were sent, then the end: `next` returns `nil`, or throws the failure once. After
///   that it returns `nil` for ever. Values that are kept come before a failure, too.
/// - What can be thrown is the failure of the publisher: when that is `Never`, a loop needs no `try`.
/// - When the task is cancelled, `next` returns `nil`, and upstream is cancelled: at once while a value is awaited, else at
///   the next call. Values that are kept are dropped then.
/// - When the loop is left, or the iterator is let go of, upstream is cancelled.
/// - The loop stays on its actor. Whoever sends a value resumes the task that awaits it, and does not wait for it.
/// - A value that is there when it is asked for is taken without suspending the task, and without an allocation.
///
/// The names `AsyncPublisher` and ``AsyncThrowingPublisher`` are those of Combine, where they are two types.
@frozen
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
  /// The kind of values of the publisher.
  public typealias Element = P.Output

  /// The kind of errors that the publisher may fail with.
  public typealias Failure = P.Failure

  @usableFromInline let publisher: P
  @usableFromInline let policy: AsyncBufferingPolicy

  /// Makes the sequence of a publisher's values, which are asked for one at a time.
  @inlinable
  public init(_ publisher: P) { self.init(publisher, buffering: .unbuffered) }

  /// Makes the sequence of a publisher's values, which are kept as the policy says.
  ///
  /// - Precondition: The number of values to keep is positive.
  @inlinable
  public init(_ publisher: P, buffering policy: AsyncBufferingPolicy) {
    switch policy {
    case .bounded(let count), .oldest(let count), .newest(let count):
      require(
        count > 0,
        or: "values(buffering: .\(policy)): there must be room for a value. Make the number at least one, "
          + "or use .unbuffered.")
    case .unbuffered, .unbounded: break
    }
    self.publisher = publisher
    self.policy = policy
  }

  /// Subscribes to the publisher.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    let values = AwaitedValues<P.Output, P.Failure>(policy)
    publisher.receive(subscriber: AwaitedValuesSubscriber(values))
    return Iterator(AwaitedSubscription(values))
  }

  /// A subscription whose values are awaited.
  ///
  /// One task at a time may await a value. The program stops with a message when another one calls `next` meanwhile, which
  /// takes an unsafe way around the check that an iterator is not `Sendable`.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: AwaitedSubscription<P.Output, P.Failure>

    // `next` is inlined, so that a value that is there costs no switches of executors: a call has several, which take 700
    // instructions.

    @inlinable
    init(_ subscription: AwaitedSubscription<P.Output, P.Failure>) { self.subscription = subscription }

    /// Waits for the next value, on the caller's actor; returns `nil` at the end, or when the task has been cancelled.
    ///
    /// - Throws: The failure of the publisher, once.
    @inlinable @inline(__always)
    nonisolated(nonsending)
      public mutating func next() async throws(P.Failure) -> P.Output?
    {
      if let value = subscription.values.takeAvailable() { return value }
      return try await subscription.values.wait(isolation: #isolation)
    }

    /// Waits for the next value, on an actor; returns `nil` at the end, or when the task has been cancelled.
    ///
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

/// The values of a publisher that can fail, as an asynchronous sequence: the same type as ``AsyncPublisher``, which throws what
/// its publisher fails with.
public typealias AsyncThrowingPublisher<P: Publisher> = AsyncPublisher<P>

/// What an iterator holds: when it lets go of this, upstream is cancelled.
///
/// An object between the two, because upstream holds the values as well.
@usableFromInline @_fixed_layout
final class AwaitedSubscription<Output, Failure: Error> {
  @usableFromInline let values: AwaitedValues<Output, Failure>

  @inlinable
  init(_ values: AwaitedValues<Output, Failure>) { self.values = values }

  @inlinable
  deinit { values.cancel() }
}

/// Receives the values that are awaited.
@usableFromInline @frozen
struct AwaitedValuesSubscriber<Input, Failure: Error>: Subscriber {
  @usableFromInline let values: AwaitedValues<Input, Failure>

  @inlinable
  init(_ values: AwaitedValues<Input, Failure>) { self.values = values }

  @inlinable
  var combineIdentifier: CombineIdentifier { CombineIdentifier(values) }

  @inlinable
  var _inlet: SubscriberInlet? { SubscriberInlet(values) }

  @inlinable
  func receive(subscription: any Subscription) {
    if values.connect(subscription), values.initialDemand != .none { subscription.request(values.initialDemand) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { values.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { values.end(completion) }
}
