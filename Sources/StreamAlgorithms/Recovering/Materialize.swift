public import Streams

extension Publisher {
  /// Publishes every value and the completion as events, and never fails.
  ///
  ///     Fail<Int, LoadError>(error: .timeout).prepend(1).materialize()   // value(1) failure(timeout), then it finishes
  ///
  /// ![The source publishes 1 and fails; the result publishes value(1) and failure(timeout) and finishes.](diagram-materialize)
  ///
  /// Use it to handle a failure like a value, or apply it to the inner publishers of `flatMap` so that one can fail without
  /// ending the outer stream. After the `failure` or `finished` event, the stream finishes.
  ///
  /// Demand and cancellation pass through unchanged. Like a value, the event that represents the completion waits until
  /// downstream requests it. Events are delivered on upstream's thread or, if the last event had to wait, on the thread that
  /// requests it.
  @inlinable @_disfavoredOverload
  public __consuming func materialize() -> MaterializePublisher<Self> {
    MaterializePublisher(upstream: self)
  }
}

extension Publisher where Failure == Never {
  /// Publishes the values that events contain, and ends the stream at the first event that represents a completion.
  ///
  ///     load().materialize().delay(for: 1, scheduler: queue).dematerialize()
  ///
  /// ![The source publishes a, b and failure and is cancelled; the result publishes a and b and fails.](diagram-dematerialize)
  ///
  /// When the first `finished` or `failure` event arrives, the operator cancels upstream and ends the stream. If upstream
  /// finishes without such an event, the stream finishes. Demand and cancellation pass through unchanged. Values are delivered
  /// on upstream's thread.
  @inlinable @_disfavoredOverload
  public __consuming func dematerialize<Value, Problem>() -> DematerializePublisher<Self, Value, Problem>
  where Output == PublisherEvent<Value, Problem> {
    DematerializePublisher(upstream: self)
  }
}

/// The publisher that ``Streams/Publisher/materialize()`` returns.
@frozen
public struct MaterializePublisher<Upstream: Publisher>: Publisher {
  public typealias Output = PublisherEvent<Upstream.Output, Upstream.Failure>
  public typealias Failure = Never

  @usableFromInline let upstream: Upstream

  /// Creates a publisher of another publisher's events, as in CombineExt.
  ///
  /// - Parameter upstream: The publisher to transform.
  @inlinable
  public init(upstream: Upstream) { self.upstream = upstream }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let values = upstream.mapPart { Output.value($0) }
    let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "materialize")
    engine.follow { engine, slot in
      engine.attach(values, to: slot) { engine, completion in
        engine.follow { $0.attach(last: Just(Output(completion)), to: $1) }
      }
    }
  }
}

/// The publisher that ``Streams/Publisher/dematerialize()`` returns.
@frozen
public struct DematerializePublisher<Upstream: Publisher, Output, Failure: Error>: Publisher
where Upstream.Output == PublisherEvent<Output, Failure>, Upstream.Failure == Never {
  @usableFromInline let upstream: Upstream

  /// Creates a publisher of the values in another publisher's events, as in CombineExt.
  ///
  /// - Parameter upstream: The publisher to transform.
  @inlinable
  public init(upstream: Upstream) { self.upstream = upstream }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(
      StageSubscriber<_, Never, _>(
        DematerializeStage<Output, Failure>(), subscriber))
  }
}

extension MaterializePublisher: Equatable where Upstream: Equatable {}
extension DematerializePublisher: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct DematerializeStage<Output, Failure: Error>: Stage {
  @usableFromInline static var name: String { "dematerialize" }

  @inlinable
  init() {}

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  func receive(_ input: PublisherEvent<Output, Failure>) throws(Failure) -> Verdict<Output> {
    switch input {
    case .value(let value): return .emit(value)
    case .failure(let error): throw error
    case .finished: return .finish
    }
  }
}

extension MaterializePublisher: Sendable where Upstream: Sendable {}
extension DematerializePublisher: Sendable where Upstream: Sendable {}
