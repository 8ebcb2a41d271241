public import Streams

// Types that were in `Publishers`, and are in `ExtendedPublishers`. They are not in Streams, because they would hide types of a
// program with these names wherever the program extends `Publishers`.

extension Publishers {
  /// The name of `ExtendedPublishers.Race` in CombineExt.
  @available(*, deprecated, message: "use ExtendedPublishers.Race")
  public typealias Amb<First: Publisher, Second: Publisher> = ExtendedPublishers.Race<First, Second>
  where Second.Output == First.Output, Second.Failure == First.Failure

  /// The former name of `ExtendedPublishers.AsyncSequence`.
  @available(*, deprecated, message: "use ExtendedPublishers.AsyncSequence")
  public typealias AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable> = ExtendedPublishers.AsyncSequence<
    Elements
  >

  /// The former name of `ExtendedPublishers.BufferByBoundary`.
  @available(*, deprecated, message: "use ExtendedPublishers.BufferByBoundary")
  public typealias BufferByBoundary<Upstream: Publisher, Boundary: Publisher> = ExtendedPublishers.BufferByBoundary<
    Upstream, Boundary
  >
  where Boundary.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.ChunkedBy`.
  @available(*, deprecated, message: "use ExtendedPublishers.ChunkedBy")
  public typealias ChunkedBy<Upstream: Publisher> = ExtendedPublishers.ChunkedBy<Upstream>

  /// The former name of `ExtendedPublishers.ChunkedOn`.
  @available(*, deprecated, message: "use ExtendedPublishers.ChunkedOn")
  public typealias ChunkedOn<Upstream: Publisher, Key: Equatable> = ExtendedPublishers.ChunkedOn<Upstream, Key>

  /// The former name of `ExtendedPublishers.CombineLatestMany`.
  @available(*, deprecated, message: "use ExtendedPublishers.CombineLatestMany")
  public typealias CombineLatestMany<Upstream: Publisher> = ExtendedPublishers.CombineLatestMany<Upstream>

  /// The name of `ExtendedPublishers.Create` in CombineExt, and formerly here.
  @available(*, deprecated, message: "use ExtendedPublishers.Create")
  public typealias Create<Output, Failure: Error> = ExtendedPublishers.Create<Output, Failure>

  /// The former name of `ExtendedPublishers.DelaySubscription`.
  @available(*, deprecated, message: "use ExtendedPublishers.DelaySubscription")
  public typealias DelaySubscription<Upstream: Publisher, Context: Scheduler> = ExtendedPublishers.DelaySubscription<
    Upstream, Context
  >

  /// The name of `ExtendedPublishers.Dematerialize` in CombineExt, and formerly here.
  @available(*, deprecated, message: "use ExtendedPublishers.Dematerialize")
  public typealias Dematerialize<Upstream: Publisher, Output, Failure: Error> = ExtendedPublishers.Dematerialize<
    Upstream, Output, Failure
  >
  where Upstream.Output == ExtendedPublishers.Event<Output, Failure>, Upstream.Failure == Never

  /// The former name of `ExtendedPublishers.Distinct`.
  @available(*, deprecated, message: "use ExtendedPublishers.Distinct")
  public typealias Distinct<Upstream: Publisher, Key: Hashable> = ExtendedPublishers.Distinct<Upstream, Key>

  /// The former name of `ExtendedPublishers.Enumerated`.
  @available(*, deprecated, message: "use ExtendedPublishers.Enumerated")
  public typealias Enumerated<Upstream: Publisher> = ExtendedPublishers.Enumerated<Upstream>

  /// The former name of `ExtendedPublishers.FlatMapFirst`.
  @available(*, deprecated, message: "use ExtendedPublishers.FlatMapFirst")
  public typealias FlatMapFirst<NewPublisher: Publisher, Upstream: Publisher> = ExtendedPublishers.FlatMapFirst<
    NewPublisher, Upstream
  >
  where NewPublisher.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.GroupBy`.
  @available(*, deprecated, message: "use ExtendedPublishers.GroupBy")
  public typealias GroupBy<Upstream: Publisher, Key: Hashable> = ExtendedPublishers.GroupBy<Upstream, Key>

  /// The former name of `ExtendedPublishers.IgnoreFailure`.
  @available(*, deprecated, message: "use ExtendedPublishers.IgnoreFailure")
  public typealias IgnoreFailure<Upstream: Publisher> = ExtendedPublishers.IgnoreFailure<Upstream>

  /// The former name of `ExtendedPublishers.MapTasks`.
  @available(*, deprecated, message: "use ExtendedPublishers.MapTasks")
  public typealias MapTasks<Upstream: Publisher, Output> = ExtendedPublishers.MapTasks<Upstream, Output>

  /// The name of `ExtendedPublishers.Materialize` in CombineExt, and formerly here.
  @available(*, deprecated, message: "use ExtendedPublishers.Materialize")
  public typealias Materialize<Upstream: Publisher> = ExtendedPublishers.Materialize<Upstream>

  /// The former name of `ExtendedPublishers.Nwise`.
  @available(*, deprecated, message: "use ExtendedPublishers.Nwise")
  public typealias Nwise<Upstream: Publisher> = ExtendedPublishers.Nwise<Upstream>

  /// The former name of `ExtendedPublishers.Pairwise`.
  @available(*, deprecated, message: "use ExtendedPublishers.Pairwise")
  public typealias Pairwise<Upstream: Publisher> = ExtendedPublishers.Pairwise<Upstream>

  /// The former name of `ExtendedPublishers.Pausable`.
  @available(*, deprecated, message: "use ExtendedPublishers.Pausable")
  public typealias Pausable<Upstream: Publisher, Gate: Publisher> = ExtendedPublishers.Pausable<Upstream, Gate>
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.PausableBuffer`.
  @available(*, deprecated, message: "use ExtendedPublishers.PausableBuffer")
  public typealias PausableBuffer<Upstream: Publisher, Gate: Publisher> = ExtendedPublishers.PausableBuffer<
    Upstream, Gate
  >
  where Gate.Output == Bool, Gate.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.PrefixDuration`.
  @available(*, deprecated, message: "use ExtendedPublishers.PrefixDuration")
  public typealias PrefixDuration<Upstream: Publisher, Context: Scheduler> = ExtendedPublishers.PrefixDuration<
    Upstream, Context
  >

  /// The former name of `ExtendedPublishers.PrefixWhileBehaving`.
  @available(*, deprecated, message: "use ExtendedPublishers.PrefixWhileBehaving")
  public typealias PrefixWhileBehaving<Upstream: Publisher> = ExtendedPublishers.PrefixWhileBehaving<Upstream>

  /// The former name of `ExtendedPublishers.Race`.
  @available(*, deprecated, message: "use ExtendedPublishers.Race")
  public typealias Race<A: Publisher, B: Publisher> = ExtendedPublishers.Race<A, B>
  where B.Output == A.Output, B.Failure == A.Failure

  /// The former name of `ExtendedPublishers.RaceMany`.
  @available(*, deprecated, message: "use ExtendedPublishers.RaceMany")
  public typealias RaceMany<Upstream: Publisher> = ExtendedPublishers.RaceMany<Upstream>

  /// The former name of `ExtendedPublishers.RateLimit`.
  @available(*, deprecated, message: "use ExtendedPublishers.RateLimit")
  public typealias RateLimit<Upstream: Publisher, Context: Scheduler> = ExtendedPublishers.RateLimit<Upstream, Context>

  /// The former name of `ExtendedPublishers.ReceiveOnActor`.
  @available(*, deprecated, message: "use ExtendedPublishers.ReceiveOnActor")
  public typealias ReceiveOnActor<Upstream: Publisher, Context: Actor> = ExtendedPublishers.ReceiveOnActor<
    Upstream, Context
  >

  /// The former name of `ExtendedPublishers.Repeat`.
  @available(*, deprecated, message: "use ExtendedPublishers.Repeat")
  public typealias Repeat<Upstream: Publisher> = ExtendedPublishers.Repeat<Upstream>

  /// The former name of `ExtendedPublishers.RetryAfterDelay`.
  @available(*, deprecated, message: "use ExtendedPublishers.RetryAfterDelay")
  public typealias RetryAfterDelay<Upstream: Publisher, Context: Scheduler> = ExtendedPublishers.RetryAfterDelay<
    Upstream, Context
  >

  /// The former name of `ExtendedPublishers.RetryWhen`.
  @available(*, deprecated, message: "use ExtendedPublishers.RetryWhen")
  public typealias RetryWhen<Upstream: Publisher, Decider: Publisher> = ExtendedPublishers.RetryWhen<Upstream, Decider>
  where Decider.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.Sample`.
  @available(*, deprecated, message: "use ExtendedPublishers.Sample")
  public typealias Sample<Upstream: Publisher, Sampler: Publisher> = ExtendedPublishers.Sample<Upstream, Sampler>
  where Sampler.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.ShareReplay`.
  @available(*, deprecated, message: "use ExtendedPublishers.ShareReplay")
  public typealias ShareReplay<Upstream: Publisher> = ExtendedPublishers.ShareReplay<Upstream>

  /// The former name of `ExtendedPublishers.Window`.
  @available(*, deprecated, message: "use ExtendedPublishers.Window")
  public typealias Window<Upstream: Publisher, Boundary: Publisher> = ExtendedPublishers.Window<Upstream, Boundary>
  where Boundary.Failure == Upstream.Failure

  /// The name of `ExtendedPublishers.WithLatestFrom` in CombineExt, and formerly here.
  @available(*, deprecated, message: "use ExtendedPublishers.WithLatestFrom")
  public typealias WithLatestFrom<Upstream: Publisher, Other: Publisher> = ExtendedPublishers.WithLatestFrom<
    Upstream, Other
  >
  where Other.Failure == Upstream.Failure

  /// The former name of `ExtendedPublishers.ZipMany`.
  @available(*, deprecated, message: "use ExtendedPublishers.ZipMany")
  public typealias ZipMany<Upstream: Publisher> = ExtendedPublishers.ZipMany<Upstream>
}

extension ExtendedPublishers.Create {
  /// The name that CombineExt has for the closure of `ExtendedPublishers.Create`.
  public typealias SubscriberHandler = (Subscriber) -> any Cancellable
}

/// The name of `ExtendedPublishers.Event` in CombineExt, and formerly here.
@available(*, deprecated, renamed: "ExtendedPublishers.Event")
public typealias Event<Output, Failure: Error> = ExtendedPublishers.Event<Output, Failure>

/// The name of `ExtendedPublishers.PrefixWhileBehavior` in CombineExt, and formerly here.
@available(*, deprecated, renamed: "ExtendedPublishers.PrefixWhileBehavior")
public typealias PrefixWhileBehavior = ExtendedPublishers.PrefixWhileBehavior

/// The former name of `ExtendedPublishers.GroupedPublisher`.
@available(*, deprecated, renamed: "ExtendedPublishers.GroupedPublisher")
public typealias GroupedPublisher<Key: Hashable, Output, Failure: Error> = ExtendedPublishers.GroupedPublisher<
  Key, Output, Failure
>

extension Subscribers {
  /// The former name of `ObjectOwnership`.
  @available(*, deprecated, renamed: "ObjectOwnership")
  public typealias ObjectOwnership = StreamsMigration.ObjectOwnership
}
