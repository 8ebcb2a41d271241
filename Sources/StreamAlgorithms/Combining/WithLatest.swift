public import Streams

extension Publisher {
  /// Combines each value from this publisher with the latest value from another.
  ///
  ///     saveTaps.withLatest(from: $title)   // (tap, the title at that tap)
  ///
  /// ![numbers publishes 1, 2, 3 and 4 and finishes; letters publishes a and b and finishes; the result publishes 2a, 3a and 4b and finishes.](diagram-withLatest)
  ///
  /// The operator immediately subscribes to both publishers, to the other one first. It requests unlimited demand from the
  /// other publisher and stores the latest value. Downstream demand goes to this publisher as soon as the other has sent a
  /// value. A source that can wait for demand, such as a sequence, therefore loses nothing, while a subject drops the values
  /// that nobody has requested. The stream finishes when this publisher finishes, or when the other finishes without a value.
  /// It fails as soon as either fails. The operator then cancels the publisher that is still running.
  ///
  /// - Parameter other: The publisher whose latest value is combined with each value of this one.
  /// - Returns: A publisher that publishes pairs.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(from other: P) -> WithLatestFromPublisher<Self, P>
  where P.Failure == Failure { WithLatestFromPublisher(upstream: self, other: other) }

  /// Combines each value with the latest value from another publisher, which can't fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter other: The publisher whose latest value is combined with each value of this one.
  /// - Returns: A publisher that publishes pairs.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(
    from other: P
  ) -> WithLatestFromPublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    withLatest(from: other.setFailureType(to: Failure.self))
  }

  /// Combines each value with the latest value from another publisher, where neither can fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter other: The publisher whose latest value is combined with each value of this one.
  /// - Returns: A publisher that publishes pairs.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher>(from other: P) -> WithLatestFromPublisher<Self, P>
  where Failure == Never, P.Failure == Never { WithLatestFromPublisher(upstream: self, other: other) }

  /// Combines each value with the latest value from another publisher, using a closure.
  ///
  /// Handles demand, completion and cancellation like `withLatest(from:)`.
  ///
  /// - Parameters:
  ///   - other: The publisher whose latest value is combined with each value of this one.
  ///   - transform: A closure that takes a value from this publisher and the latest value from the other, and returns the value
  ///     to publish.
  /// - Returns: A publisher that publishes the closure's results.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, T>(
    from other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<WithLatestFromPublisher<Self, P>, T> where P.Failure == Failure {
    withLatest(from: other).map { transform($0.0, $0.1) }
  }

  /// Combines each value with the latest values from two other publishers.
  ///
  /// Handles demand, completion and cancellation like `withLatest(from:)`.
  ///
  /// - Parameters:
  ///   - publisher1: A publisher whose latest value is combined with each value of this one.
  ///   - publisher2: Another such publisher.
  /// - Returns: A publisher that publishes triples.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, Q: Publisher>(
    from publisher1: P, _ publisher2: Q
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest<P, Q>>, (Output, P.Output, Q.Output)
    > where P.Failure == Failure, Q.Failure == Failure
  {
    withLatest(from: publisher1.combineLatest(publisher2)).map { ($0.0, $0.1.0, $0.1.1) }
  }

  /// Combines each value with the latest values from three other publishers.
  ///
  /// Handles demand, completion and cancellation like `withLatest(from:)`.
  ///
  /// - Parameters:
  ///   - publisher1: A publisher whose latest value is combined with each value of this one.
  ///   - publisher2: Another such publisher.
  ///   - publisher3: Another such publisher.
  /// - Returns: A publisher that publishes quadruples.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func withLatest<P: Publisher, Q: Publisher, R: Publisher>(
    from publisher1: P, _ publisher2: Q, _ publisher3: R
  )
    -> Publishers.Map<
      WithLatestFromPublisher<Self, Publishers.CombineLatest3<P, Q, R>>,
      (Output, P.Output, Q.Output, R.Output)
    > where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure
  {
    withLatest(from: publisher1.combineLatest(publisher2, publisher3)).map { ($0.0, $0.1.0, $0.1.1, $0.1.2) }
  }
}

/// The publisher that `withLatest(from:)` returns.
@frozen
public struct WithLatestFromPublisher<Upstream: Publisher, Other: Publisher>: Publisher
where Other.Failure == Upstream.Failure {
  public typealias Output = (Upstream.Output, Other.Output)
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let other: Other

  @inlinable
  init(upstream: Upstream, other: Other) {
    self.upstream = upstream
    self.other = other
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber, as: "withLatest(from:)")
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S, as name: String) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.make(WithLatestMachine<Upstream.Output, Other.Output, Failure>(name), for: subscriber)
    engine.attach(other, slot: 1) { $0.replaceNewest(with: &$2, &$3) }
    engine.attach(upstream)
  }
}

extension WithLatestFromPublisher: Equatable where Upstream: Equatable, Other: Equatable {}

/// Combines each element of one source with the newest element of another.
///
/// Unlimited demand is requested from the other source, because only its newest element is kept. Nothing is requested
/// from the first source before there is an element of the other, and what it sends nevertheless is dropped.
@usableFromInline @frozen
struct WithLatestMachine<Input, Newest, Failure: Error>: SlotMachine, CombiningMachine, ~Copyable {
  @usableFromInline typealias Output = (Input, Newest)

  @usableFromInline let name: String
  @usableFromInline var sources = FixedSources(2)
  @usableFromInline var newest: Newest?

  @inlinable @inline(never)
  init(_ name: String) { self.name = name }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    let wanted: Subscribers.Demand = newest == nil ? .none : reaction.demand
    return sources.connected(subscription, to: slot, requesting: slot == 1 ? .unlimited : wanted)
  }

  @inlinable
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    if newest != nil { reaction.request(more, from: sources[0]) }
  }

  @inlinable @inline(__always)
  mutating func received(_ element: Input, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if let newest, sources.live.contains(0) { reaction.emit((element, newest)) }
  }

  /// Handles an element of the other source, and leaves the one before in its place.
  @inlinable
  mutating func replaceNewest(with element: inout Newest?, _ reaction: inout Reaction<Output, Failure>) {
    guard sources.live.contains(1) else { return }
    swap(&newest, &element)
    if element == nil { reaction.request(reaction.demand, from: sources[0]) }
  }

  @usableFromInline
  func continues(without slot: Int) -> Bool { slot == 1 && newest != nil }

  @inlinable
  mutating func discardElements(_ reaction: inout Reaction<Output, Failure>) {
    if let newest = newest.take() { reaction.discard(newest) }
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    if newest != nil { tell(.kept, 1, nil) }
    if name == "pausable(runningWhile:)", let isOpen = newest as? Bool { tell(isOpen ? .open : .closed, 0, nil) }
  }
}

extension WithLatestFromPublisher: Sendable where Upstream: Sendable, Other: Sendable {}
