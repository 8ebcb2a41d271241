public import Streams

extension Publisher {
  /// Publishes the newest value whenever another publisher sends one, unless it has already been published.
  ///
  ///     positions.sample(by: DispatchQueue.main.timerPublisher(every: .seconds(1)).autoconnect())
  ///
  /// ![values publishes a, b and c and finishes; sampler publishes x, x and x and is cancelled; the result publishes b and c and finishes.](diagram-sample)
  ///
  /// The operator requests unlimited demand from both publishers and stores the newest value. If there's no downstream demand
  /// when the sampler sends, the value waits for the next sample. If this publisher finishes while a value is waiting, that
  /// value is published at the next sample, followed by the completion. When the sampler finishes, the stream finishes. It
  /// fails as soon as either publisher fails. The operator then cancels the publisher that is still running.
  ///
  /// To publish the newest value at every sample, even repeatedly, write `sampler.withLatest(from: values) { $1 }`.
  ///
  /// - Parameter sampler: The publisher whose values trigger the samples.
  /// - Returns: A publisher that publishes the sampled values.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(by sampler: P) -> SamplePublisher<Self, P>
  where P.Failure == Failure {
    SamplePublisher(upstream: self, sampler: sampler)
  }

  /// Publishes the newest value whenever a sampler that can't fail sends a value, like ``sample(by:)``.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter sampler: The publisher whose values trigger the samples.
  /// - Returns: A publisher that publishes the sampled values.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(
    by sampler: P
  ) -> SamplePublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    sample(by: sampler.setFailureType(to: Failure.self))
  }

  /// Publishes the newest value whenever a sampler sends a value, like ``sample(by:)``, where neither publisher can fail.
  ///
  /// Handles demand, completion and cancellation like the overload for equal failure types.
  ///
  /// - Parameter sampler: The publisher whose values trigger the samples.
  /// - Returns: A publisher that publishes the sampled values.
  /// - Complexity: O(1) for each value.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(by sampler: P) -> SamplePublisher<Self, P>
  where Failure == Never, P.Failure == Never { SamplePublisher(upstream: self, sampler: sampler) }
}

/// The publisher that `sample(by:)` returns.
@frozen
public struct SamplePublisher<Upstream: Publisher, Sampler: Publisher>: Publisher
where Sampler.Failure == Upstream.Failure {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let sampler: Sampler

  @inlinable
  init(upstream: Upstream, sampler: Sampler) {
    self.upstream = upstream
    self.sampler = sampler
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.make(SampleMachine<Output, Failure>(), for: subscriber)
    engine.combine(upstream, slot: 0) { swap(&$0.newest, &$2) }
    engine.combine(sampler, slot: 1) { _, _, _ in }
  }
}

extension SamplePublisher: Equatable where Upstream: Equatable, Sampler: Equatable {}

/// Delivers the newest element of one source when another sends an element, unless that newest element was delivered
/// before.
@usableFromInline @frozen
struct SampleMachine<Element, Failure: Error>: CombiningMachine, ~Copyable {
  @usableFromInline typealias Output = Element

  @usableFromInline var sources = FixedSources(2)
  /// The newest element, unless it has been delivered.
  @usableFromInline var newest: Element?
  /// The context in which it was sent, if contexts are carried.
  @usableFromInline var context: ContextSnapshot?

  @inlinable @inline(never)
  init() {}

  @inlinable var name: String { "sample(by:)" }

  @inlinable
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    sources.connected(subscription, to: slot, requesting: .unlimited)
  }

  // All elements have been requested.
  @inlinable mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {}

  @inlinable
  mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if slot == 0, reaction.context != nil { keepContext(&reaction) }
    guard slot == 1, reaction.demand > .max(reaction.waiting), let element = newest.take() else { return }
    if context == nil { reaction.emit(element) } else { emitInContext(element, &reaction) }
    // Nothing can follow the last sample.
    if !sources.live.contains(0) { end(with: .finished, &reaction) }
  }

  // Apart, because few programs carry contexts.
  @inlinable @inline(never)
  mutating func keepContext(_ reaction: inout Reaction<Output, Failure>) { reaction.keepContext(in: &context) }

  @inlinable @inline(never)
  mutating func emitInContext(_ element: Element, _ reaction: inout Reaction<Output, Failure>) {
    reaction.emit(element, in: context)
  }

  @usableFromInline
  func continues(without slot: Int) -> Bool { slot == 0 && newest != nil }

  @inlinable
  mutating func discardElements(_ reaction: inout Reaction<Output, Failure>) {
    if let newest = newest.take() { reaction.discard(newest) }
    reaction.release(context.take())
  }

  @usableFromInline
  func inspect(_ tell: StreamFact.Tell) {
    sources.tell(tell)
    if newest != nil { tell(.kept, 0, nil) }
  }
}

extension SamplePublisher: Sendable where Upstream: Sendable, Sampler: Sendable {}
