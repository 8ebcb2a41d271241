extension Publisher {
  /// Publishes every value and the ending as events, and never fails.
  ///
  ///     Fail<Int, LoadError>(error: .timeout).prepend(1).materialize()   // value(1) failure(timeout), then it finishes
  ///
  /// ![Marble diagram of materialize](diagram-materialize)
  ///
  /// So a failure can be looked at like a value, and a publisher that is flattened may fail without ending the stream
  /// that it is flattened into. The ending is sent as an event, `failure` or `finished`, and then the stream finishes.
  ///
  /// Demand and cancellation pass through. The event of the ending needs demand like a value; it waits until it is asked
  /// for. Events are delivered where upstream sends, or the last one where it is asked for. It keeps nothing else.
  @inlinable @_disfavoredOverload
  public __consuming func materialize() -> Publishers.Materialize<Self> { Publishers.Materialize(upstream: self) }
}

extension Publisher where Failure == Never {
  /// Publishes the values of events, and ends as they say.
  ///
  ///     load().materialize().delay(for: 1, scheduler: queue).dematerialize()
  ///
  /// ![Marble diagram of dematerialize](diagram-dematerialize)
  ///
  /// The first ending event cancels upstream and ends the stream, with its error if it is a failure. When upstream finishes
  /// before, so does this. Demand and cancellation pass through, and values are delivered where the events come.
  @inlinable @_disfavoredOverload
  public __consuming func dematerialize<Value, Problem>() -> Publishers.Dematerialize<Self, Value, Problem>
  where Output == Event<Value, Problem> {
    Publishers.Dematerialize(upstream: self)
  }

  /// Publishes the values of events, and drops the endings.
  ///
  ///     let loads = taps.flatMap { load().materialize() }.share()
  ///     let pages = loads.values()
  ///
  /// ![Marble diagram of the values of events](diagram-values)
  ///
  /// An event that is dropped gives its demand back. Completion and cancellation pass through.
  ///
  /// - Parameter events: The kind of events, which need not be said. (Without a parameter, this could not stand beside the
  ///   asynchronous sequence ``Publisher/values``.)
  @inlinable @_disfavoredOverload
  public func values<Value, Problem>(
    of events: Event<Value, Problem>.Type = Event<Value, Problem>.self
  ) -> Publishers.CompactMap<Self, Value> where Output == Event<Value, Problem> {
    Publishers.CompactMap(upstream: self, transform: { $0.value })
  }

  /// Publishes the errors of events, and drops all other events.
  ///
  ///     let problems = loads.failures()
  ///
  /// ![Marble diagram of the failures of events](diagram-failures)
  ///
  /// An event that is dropped gives its demand back. Completion and cancellation pass through.
  ///
  /// - Parameter events: The kind of events, which need not be said.
  @inlinable @_disfavoredOverload
  public __consuming func failures<Value, Problem>(
    of events: Event<Value, Problem>.Type = Event<Value, Problem>.self
  ) -> Publishers.CompactMap<Self, Problem> where Output == Event<Value, Problem> {
    Publishers.CompactMap(upstream: self, transform: { $0.failure })
  }
}

extension Publishers {
  /// The publisher of ``Publisher/materialize()``.
  @frozen
  public struct Materialize<Upstream: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Event<Upstream.Output, Upstream.Failure>

    /// This publisher cannot fail.
    public typealias Failure = Never

    /// The publisher whose values and ending are sent as events.
    public let upstream: Upstream

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      let ending = MaterializedEnding<Upstream.Output, Upstream.Failure>()
      let values = Map(upstream: upstream, transform: { Output.value($0) })
      Following.begin(subscriber, .succession(followsFailure: false, successors: 1), with: values) {
        following, completion in
        following.end(0, failed: false, store: { ending.event = Output(completion) })
      } attachNext: { following, slot in
        following.attachLast(Just(ending.event), to: slot)
      }
    }
  }

  /// The publisher of ``Publisher/dematerialize()``.
  @frozen
  public struct Dematerialize<Upstream: Publisher, Output, Failure: Error>: Publisher
  where Upstream.Output == Event<Output, Failure>, Upstream.Failure == Never {
    /// The publisher that sends events.
    public let upstream: Upstream

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        StageSubscriber<_, Never, _>(
          DematerializeStage<Output, Failure>(), subscriber))
    }
  }
}

extension Publishers.Materialize: Equatable where Upstream: Equatable {}
extension Publishers.Dematerialize: Equatable where Upstream: Equatable {}

/// The ending of the source, which is to be sent. Written under the engine's lock, and read once the engine has decided to attach
/// what sends it.
@usableFromInline @_fixed_layout
final class MaterializedEnding<Output, Failure: Error> {
  // Exclusive: written once, under the lock of the engine, and read afterwards by the thread that attaches the next source.
  @usableFromInline @exclusivity(unchecked) var event = Event<Output, Failure>.finished

  @inlinable
  init() {}
}

@usableFromInline @frozen
struct DematerializeStage<Output, Failure: Error>: Stage {
  @inlinable
  init() {}

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  func receive(_ input: Event<Output, Failure>) throws(Failure) -> Verdict<Output> {
    switch input {
    case .value(let value): return .emit(value)
    case .failure(let error): throw error
    case .finished: return .finish
    }
  }
}

extension Publishers.Materialize: Sendable where Upstream: Sendable {}
extension Publishers.Dematerialize: Sendable where Upstream: Sendable {}
