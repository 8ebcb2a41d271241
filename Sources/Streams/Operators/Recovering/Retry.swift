extension Publisher {
  /// Resubscribes to this publisher when it fails, up to a given number of times.
  ///
  ///     load().retry(3)
  ///
  /// ![attempt 1 publishes a and fails; attempt 2, subscribed to at 400 ms, publishes a and b and finishes; the result publishes a, a and b and finishes.](diagram-retry)
  ///
  /// ![The source publishes a and fails; subscribed to again at 400 ms, it publishes a and fails; the result publishes a and a and fails.](diagram-retry-exhausted)
  ///
  /// The operator requests the remaining demand from each attempt. If the last attempt fails, the stream ends with that
  /// failure. Attempts that fail immediately are repeated in a loop and don't grow the stack. Values, normal completion and
  /// cancellation pass through unchanged.
  ///
  /// Unlike most operators, this one retains its upstream publisher for as long as the stream lasts, because it may resubscribe.
  /// If your publisher is an object that stores the cancellable for a stream of its own values, a `retry` in that stream makes
  /// the object retain itself.
  ///
  /// - Parameter retries: The maximum number of additional attempts, or a negative number for no limit.
  @inlinable
  public __consuming func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/retry(_:)`` returns.
  @frozen
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let retries: Int?

    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "retry")
      engine.attach(upstream, again: retries.map { $0 < 0 ? .max : $0 } ?? .max, afterFailure: true)
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publishers.Retry: Sendable where Upstream: Sendable {}
