extension Publisher {
  /// Recovers from a failure by continuing with another publisher.
  ///
  ///     load().catch { _ in Just(offlinePage) }
  ///
  /// ![source publishes a and b and fails; other, subscribed to at 600 ms, publishes x and y and finishes; the result publishes a, b, x and y and finishes.](diagram-catch)
  ///
  /// The failed publisher has ended. If your stream must continue after a failure, apply `catch` to the inner publishers of
  /// `flatMap` or `switchToLatest` instead. The operator requests the remaining demand from the other publisher. Values and
  /// normal completion pass through unchanged. If the other publisher fails, the stream ends with that failure. Cancellation
  /// cancels the running publisher.
  ///
  /// - Parameter handler: A closure that returns the publisher to continue with after the given error.
  @inlinable
  public __consuming func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where P.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Recovers from a failure by continuing with the publisher that a throwing closure returns.
  ///
  /// ![The source publishes a and b and fails; the result publishes a and b and fails.](diagram-tryCatch)
  ///
  /// If the closure throws, the stream fails with that error. Otherwise, it works like ``catch(_:)``.
  @inlinable
  public __consuming func tryCatch<P: Publisher>(
    _ handler: @escaping (Failure) throws -> P
  ) -> Publishers.TryCatch<Self, P>
  where P.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }

  /// Recovers from a failure by publishing a value and then finishing.
  ///
  ///     load().replaceError(with: offlinePage)
  ///
  /// ![The source publishes 1 and 2 and fails; the result publishes 1, 2 and 0 and finishes.](diagram-replaceError)
  ///
  /// The failed publisher has ended. If your stream must continue, replace errors in inner publishers, as with ``catch(_:)``. The
  /// value waits for demand. Values, normal completion, demand and cancellation pass through unchanged.
  ///
  /// - Parameter output: The value to publish in place of the failure.
  @inlinable
  public __consuming func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {
  /// The publisher that `catch(_:)` returns.
  @frozen
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = NewPublisher.Failure

    public let upstream: Upstream
    public let handler: (Upstream.Failure) -> NewPublisher

    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "catch")
      engine.attach(upstream) { engine, slot, error in engine.attach(last: handler(error), to: slot) }
    }
  }

  /// The publisher that `tryCatch(_:)` returns.
  @frozen
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    public let handler: (Upstream.Failure) throws -> NewPublisher

    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let engine = SuccessionEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), "tryCatch")
      engine.attach(upstream) { engine, slot, error in
        do {
          engine.attach(last: try handler(error).mapError { $0 as any Error }, to: slot)
        } catch {
          engine.end(with: Subscribers.Completion.failure(error))
        }
      }
    }
  }

  /// The publisher that ``Publisher/replaceError(with:)`` returns.
  @frozen
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    public let upstream: Upstream
    public let output: Output

    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let output = output
      let engine = SuccessionEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), "replaceError(with:)")
      engine.attach(upstream) { engine, slot, _ in engine.attach(last: Just(output), to: slot) }
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension SuccessionEngine {
  /// Attaches a source. If the source fails, the closure attaches the last source under the context in which downstream
  /// subscribed.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(
    _ source: Source, catching: @escaping (SuccessionEngine, Int, Source.Failure) -> Void
  ) {
    follow { engine, slot in
      engine.attach(source, to: slot) { engine, completion in
        guard case .failure(let error) = completion else { return engine.end(with: completion) }
        engine.follow { catching($0, $1, error) }
      }
    }
  }
}

extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
