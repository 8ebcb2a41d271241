extension Publisher {
  /// Goes on with another publisher when this one fails.
  ///
  ///     load().catch { _ in Just(cached) }
  ///
  /// ![Marble diagram of catch](diagram-catch)
  ///
  /// The other gets the demand that is still outstanding. Values and a normal end pass through.
  @inlinable
  public func `catch`<P: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ handler: @escaping (Failure) -> P
  ) -> Publishers.Catch<Self, P>
  where P.Output == Output {
    Publishers.Catch(upstream: self, handler: isolation.checking(handler, fileID, filePath, line, column))
  }

  /// Goes on with another publisher when this one fails; an error that the closure throws ends the stream.
  ///
  /// ![Marble diagram of tryCatch](diagram-tryCatch)
  @inlinable
  public __consuming func tryCatch<P: Publisher>(
    isolation: (any Actor)? = #isolation, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ handler: @escaping (Failure) throws -> P
  ) -> Publishers.TryCatch<Self, P>
  where P.Output == Output {
    Publishers.TryCatch(upstream: self, handler: isolation.checking(handler, fileID, filePath, line, column))
  }

  /// Sends a value and finishes when this publisher fails.
  ///
  /// ![Marble diagram of replaceError](diagram-replaceError)
  ///
  /// The value waits until it is asked for.
  @inlinable
  public __consuming func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {
  /// The publisher of `catch(_:)`.
  @frozen
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = NewPublisher.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// What makes the publisher to go on with.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let caught = CaughtFailure<Upstream.Failure>()
      let handler = handler
      Following.catching(upstream, caught, subscriber) { following, slot in
        if let error = caught.error { following.attachLast(handler(error), to: slot) }
      }
    }
  }

  /// The publisher of `tryCatch(_:)`.
  @frozen
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// The type of error this publisher may fail with.
    public typealias Failure = any Error

    /// The upstream publisher.
    public let upstream: Upstream

    /// What makes the publisher to go on with.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let caught = CaughtFailure<Upstream.Failure>()
      let handler = handler
      Following.catching(upstream, caught, subscriber) { following, slot in
        guard let error = caught.error else { return }
        do {
          following.attachLast(try handler(error).mapError { $0 }, to: slot)
        } catch {
          following.fail(slot, with: error)
        }
      }
    }
  }

  /// The publisher of ``Publisher/replaceError(with:)``.
  @frozen
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    /// The type of value this publisher publishes.
    public typealias Output = Upstream.Output

    /// This publisher cannot fail.
    public typealias Failure = Never

    /// The upstream publisher.
    public let upstream: Upstream

    /// The value that is sent when it does.
    public let output: Output

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber to this publisher.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let caught = CaughtFailure<Upstream.Failure>()
      let output = output
      Following.catching(upstream, caught, subscriber) { following, slot in following.attachLast(Just(output), to: slot)
      }
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

/// The subscriber of a source whose failure is recovered from.
@usableFromInline @frozen
struct CaughtChild<Failure: Error, Input, DownstreamFailure: Error>: FollowingChild {
  @usableFromInline let following: Following<Input, DownstreamFailure>
  @usableFromInline let caught: CaughtFailure<Failure>

  @inlinable
  init(_ following: Following<Input, DownstreamFailure>, _ caught: CaughtFailure<Failure>) {
    self.following = following
    self.caught = caught
  }

  @inlinable
  var slot: Int { 0 }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: following.end(slot, failed: false, store: {})
    case .failure(let error): following.end(slot, failed: true, store: { caught.error = error })
    }
  }
}

extension Following {
  /// Begins with a source whose failure is kept in `caught`, for `attachNext`, which attaches the next one.
  @inlinable @inline(__always)
  static func catching<Source: Publisher, Downstream: Subscriber>(
    _ source: Source, _ caught: CaughtFailure<Source.Failure>, _ downstream: Downstream,
    _ attachNext: @escaping (Following, Int) -> Void
  ) where Source.Output == Output, Downstream.Input == Output, Downstream.Failure == Failure {
    let engine = Engine.succession(followsFailure: true, successors: 1)
    let following = Following(engine, engine.makeOutlet(for: downstream), attachNext)
    following.begin(source, CaughtChild(following, caught))
  }
}

/// The error that is being recovered from. Written under the engine's lock, and read once the engine has decided to
/// attach the next source.
@usableFromInline @_fixed_layout
final class CaughtFailure<Failure: Error> {
  // Exclusive: written once, under the lock of the engine, and read afterwards by the thread that has written it.
  @usableFromInline @exclusivity(unchecked) var error: Failure?

  @inlinable
  init() {}
}

extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
