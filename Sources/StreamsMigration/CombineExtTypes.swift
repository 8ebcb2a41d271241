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

  /// The name of `DematerializePublisher` in CombineExt.
  @available(*, deprecated, message: "use DematerializePublisher")
  public typealias Dematerialize<Upstream: Publisher, Output, Failure: Error> = DematerializePublisher<
    Upstream, Output, Failure
  >
  where Upstream.Output == PublisherEvent<Output, Failure>, Upstream.Failure == Never

  /// The name of `MaterializePublisher` in CombineExt.
  @available(*, deprecated, message: "use MaterializePublisher")
  public typealias Materialize<Upstream: Publisher> = MaterializePublisher<Upstream>

  /// The name of `WithLatestFromPublisher` in CombineExt.
  @available(*, deprecated, message: "use WithLatestFromPublisher")
  public typealias WithLatestFrom<Upstream: Publisher, Other: Publisher> = WithLatestFromPublisher<
    Upstream, Other
  >
  where Other.Failure == Upstream.Failure
}

extension CreatePublisher {
  /// The name that CombineExt has for the closure of `CreatePublisher`.
  public typealias SubscriberHandler = (Subscriber) -> any Cancellable
}

/// The name of `PublisherEvent` in CombineExt.
@available(*, deprecated, renamed: "PublisherEvent")
public typealias Event<Output, Failure: Error> = PublisherEvent<Output, Failure>
