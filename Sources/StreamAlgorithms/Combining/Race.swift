public import Streams

extension Publisher {
  /// Publishes the signals from whichever of two publishers sends one first, and cancels the other.
  ///
  ///     mirrors[0].load(page).race(with: mirrors[1].load(page))
  ///
  /// ![first is cancelled; second publishes x, y and z and finishes; the result publishes x, y and z and finishes.](diagram-race)
  ///
  /// A completion or a failure also wins the race. Until one publisher has won, requests go to both publishers. From then on,
  /// demand and cancellation go to the winner. The operator subscribes to the other publisher only if this one doesn't win on
  /// subscription.
  ///
  /// - Parameter other: The other publisher.
  @inlinable @_disfavoredOverload
  public __consuming func race<P: Publisher>(with other: P) -> RacePublisher<Self, P>
  where P.Output == Output, P.Failure == Failure { RacePublisher(self, other) }
}

extension Publisher {
  /// Publishes the signals from this publisher or one of several others, whichever sends one first, like
  /// ``race(with:)->RacePublisher<Self,P>``.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func race<P: Publisher>(with others: P...) -> AnyPublisher<Output, Failure>
  where P.Output == Output, P.Failure == Failure { race(with: others) }

  /// Publishes the signals from this publisher or one in a collection of others, whichever sends one first, like
  /// ``race(with:)->RacePublisher<Self,P>``.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func race<Others: Collection>(with others: Others) -> AnyPublisher<Output, Failure>
  where Others.Element: Publisher<Output, Failure> { erased(with: others).race().eraseToAnyPublisher() }

  /// Returns this publisher and others, whose type may differ, as type-erased publishers.
  @inlinable
  func erased<Others: Collection>(with others: Others) -> [AnyPublisher<Output, Failure>]
  where Others.Element: Publisher<Output, Failure> { [AnyPublisher(self)] + others.map { AnyPublisher($0) } }
}

extension Collection where Element: Publisher {
  /// Publishes the signals from whichever publisher in the collection sends one first, and cancels the others.
  ///
  ///     mirrors.map { $0.load(page) }.race()
  ///
  /// For an empty collection, the stream finishes immediately. Otherwise, the operator behaves like `race(with:)`.
  ///
  /// - Complexity: O(*n*) for each subscriber, where *n* is the number of publishers, and O(1) for each value.
  @inlinable @_disfavoredOverload
  public func race() -> RaceManyPublisher<Element> { RaceManyPublisher(self) }
}

/// The publisher that `race(with:)` returns.
@frozen
public struct RacePublisher<A: Publisher, B: Publisher>: Publisher where B.Output == A.Output, B.Failure == A.Failure {
  public typealias Output = A.Output
  public typealias Failure = A.Failure

  @usableFromInline let a: A
  @usableFromInline let b: B

  @inlinable
  package init(_ a: A, _ b: B) {
    self.a = a
    self.b = b
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let engine = RaceEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: 2)
    engine.enter(a, slot: 0)
    engine.enter(b, slot: 1)
  }
}

/// The publisher that `race()` returns for a collection.
@frozen
public struct RaceManyPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let publishers: [Upstream]

  @inlinable
  init<S: Swift.Sequence>(_ publishers: S) where S.Element == Upstream { self.publishers = Array(publishers) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if publishers.isEmpty { return subscriber.receiveOnly(.finished) }
    let engine = RaceEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), count: publishers.count)
    for (slot, publisher) in publishers.enumerated() { engine.enter(publisher, slot: slot) }
  }
}

extension RacePublisher: Equatable where A: Equatable, B: Equatable {}
extension RaceManyPublisher: Equatable where Upstream: Equatable {}

extension RacePublisher: Sendable where A: Sendable, B: Sendable {}
extension RaceManyPublisher: Sendable where Upstream: Sendable {}
