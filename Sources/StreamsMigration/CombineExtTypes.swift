public import StreamAlgorithms
public import Streams

// Types under the names that CombineExt uses.

extension Publishers {
  /// The name of `RacePublisher` in CombineExt.
  @available(*, deprecated, message: "use RacePublisher")
  public typealias Amb<First: Publisher, Second: Publisher> = RacePublisher<First, Second>
  where Second.Output == First.Output, Second.Failure == First.Failure

  /// The name of `CreatePublisher` in CombineExt.
  @available(*, deprecated, message: "use CreatePublisher")
  public typealias Create<Output, Failure: Error> = CreatePublisher<Output, Failure>

  /// The name of `DematerializePublisher` in CombineExt, where `Upstream` is the only parameter.
  @available(*, deprecated, message: "use DematerializePublisher")
  public typealias Dematerialize<Upstream: Publisher, Output, Failure: Error> = DematerializePublisher<
    Upstream, Output, Failure
  >
  where Upstream.Output == PublisherEvent<Output, Failure>, Upstream.Failure == Never

  /// The name of `MaterializePublisher` in CombineExt.
  @available(*, deprecated, message: "use MaterializePublisher")
  public typealias Materialize<Upstream: Publisher> = MaterializePublisher<Upstream>

  /// The name of the publisher that `withLatestFrom` returns in CombineExt.
  @available(*, deprecated, message: "use WithLatestFromPublisher, which publishes pairs")
  public typealias WithLatestFrom<Upstream: Publisher, Other: Publisher, Output> = Publishers.Map<
    WithLatestFromPublisher<Upstream, Other>, Output
  >
  where Other.Failure == Upstream.Failure
}

// Initializers with the labels of CombineExt. The other types' initializers have the same labels in both libraries.

extension RacePublisher {
  /// Creates a publisher, with the argument labels of CombineExt's `Publishers.Amb`.
  ///
  /// - Parameters:
  ///   - first: A publisher that may win the race.
  ///   - second: A publisher that may win the race.
  @available(*, deprecated, renamed: "init(_:_:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public init(first: A, second: B) { self.init(first, second) }
}

extension CreatePublisher {
  /// CombineExt's name for the closure type of `CreatePublisher`.
  public typealias SubscriberHandler = (Subscriber) -> any Cancellable

  /// Creates a publisher, with the argument label that CombineExt uses.
  ///
  /// - Parameter factory: A closure that begins to send values to a subscriber, and returns a cancellable that stops
  ///   this work.
  @available(*, deprecated, renamed: "init(_:)")
  @_alwaysEmitIntoClient @_disfavoredOverload
  public init(factory: @escaping SubscriberHandler) { self.init(factory) }
}

/// The name of `PublisherEvent` in CombineExt.
@available(*, deprecated, renamed: "PublisherEvent")
public typealias Event<Output, Failure: Error> = PublisherEvent<Output, Failure>
