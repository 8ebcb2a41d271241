public import Streams

extension Publisher {
  /// Publishes the newest value, unless it has already been published, whenever another publisher sends a value.
  ///
  ///     positions.sample(by: DispatchQueue.main.timerPublisher(every: .seconds(1)).autoconnect())
  ///
  /// ![values publishes a, b and c and finishes; sampler publishes x, x and x and is cancelled; the result publishes b and c and finishes.](diagram-sample)
  ///
  /// The operator requests unlimited demand from both publishers and stores the newest value. If there's no downstream demand
  /// when the sampler sends, the value waits for the next sample. If this publisher finishes while a value is waiting, that
  /// value is published at the next sample, followed by the completion. When the sampler finishes, the stream finishes. The
  /// stream fails as soon as either publisher fails. In each case, the operator cancels the publisher that is still running.
  ///
  /// To publish the newest value at every sample, even repeatedly, write `sampler.withLatest(from: values) { $1 }`.
  ///
  /// - Parameter sampler: The publisher whose values trigger the samples.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(by sampler: P) -> SamplePublisher<Self, P>
  where P.Failure == Failure {
    SamplePublisher(upstream: self, sampler: sampler)
  }

  /// Publishes the newest value whenever a sampler that can't fail sends a value, like ``sample(by:)-22qrj``.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(
    by sampler: P
  ) -> SamplePublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    sample(by: sampler.setFailureType(to: Failure.self))
  }

  /// Publishes the newest value whenever a sampler sends a value, like ``sample(by:)-22qrj``, where neither publisher can fail.
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
    let engine = SampleEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self))
    engine.attach(upstream)
    engine.attach(sampler, slot: 1)
  }
}

extension SamplePublisher: Equatable where Upstream: Equatable, Sampler: Equatable {}

extension SamplePublisher: Sendable where Upstream: Sendable, Sampler: Sendable {}
