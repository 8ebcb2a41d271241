extension Publisher {
  /// Sends the newest value whenever another publisher sends something, if that value has not been sent before.
  ///
  ///     positions.sample(by: DispatchQueue.main.timerPublisher(every: .seconds(1)).autoconnect())
  ///
  /// ![Marble diagram of sample(by:)](diagram-sample)
  ///
  /// Both publishers are asked for everything; the newest value is kept. A sample for which there is no demand is not
  /// taken, and the value waits for the next one. When this publisher finishes, the value that waits is delivered with
  /// the next sample, and the completion after it. When the sampler finishes, the stream does; it fails as soon as one
  /// of them does.
  ///
  /// To send the newest value again with each sample, write `sampler.withLatest(from: values) { $1 }`.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(by sampler: P) -> Publishers.Sample<Self, P> where P.Failure == Failure {
    Publishers.Sample(upstream: self, sampler: sampler)
  }

  /// Like ``sample(by:)``, for a sampler that cannot fail.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(
    by sampler: P
  ) -> Publishers.Sample<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    sample(by: sampler.setFailureType(to: Failure.self))
  }

  /// Like ``sample(by:)``, where neither publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func sample<P: Publisher>(by sampler: P) -> Publishers.Sample<Self, P>
  where Failure == Never, P.Failure == Never { Publishers.Sample(upstream: self, sampler: sampler) }
}

extension Publishers {
  /// The publisher of `sample(by:)`.
  @frozen
  public struct Sample<Upstream: Publisher, Sampler: Publisher>: Publisher where Sampler.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are sampled.
    public let upstream: Upstream

    /// The publisher whose values say when.
    public let sampler: Sampler

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, sampler: Sampler) {
      self.upstream = upstream
      self.sampler = sampler
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let newest = NewestSlot<Upstream.Output>()
      let engine = Engine.sampling()
      let combining = Combining(subscriber, in: engine) { newest.take() }
      combining.attach(upstream, newest, SampleMachine.main)
      combining.attach(sampler, SignalSlot<Sampler.Output>(), SampleMachine.sampler)
    }
  }
}

extension Publishers.Sample: Equatable where Upstream: Equatable, Sampler: Equatable {}

extension Engine {
  @usableFromInline
  static func sampling() -> Engine { Engine(SampleMachine()) }
}

extension Publishers.Sample: Sendable where Upstream: Sendable, Sampler: Sendable {}
