extension Publisher {
  /// Splits the stream into windows: publishers of the values between two boundaries, which another publisher sends.
  ///
  ///     taps.window(by: everySecond, bufferSize: 16).flatMap { $0.count() }
  ///
  /// ![Marble diagram of window(by:bufferSize:)](diagram-window)
  ///
  /// A window opens with its first value and is sent before it, so that there are no empty ones; it finishes with the
  /// next boundary. Values come through a window as they come from upstream. It keeps the newest `bufferSize` of them
  /// for subscribers that come later, and is a ``ReplaySubject`` in all that concerns demand.
  ///
  /// Both publishers are asked for everything. A window that downstream has not asked for waits; when another opens
  /// meanwhile, it is dropped with what it holds. The open window ends as upstream does, which also ends the stream;
  /// when the other publisher finishes, the window that is open or the next one is the last. Cancelling the stream
  /// leaves an open window without further values.
  ///
  /// - Precondition: `bufferSize` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(by boundary: P, bufferSize: Int) -> Publishers.Window<Self, P>
  where P.Failure == Failure {
    Publishers.Window(upstream: self, boundary: boundary, bufferSize: bufferSize)
  }

  /// Like ``window(by:bufferSize:)``, for another publisher that cannot fail.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(
    by boundary: P, bufferSize: Int
  ) -> Publishers.Window<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    window(by: boundary.setFailureType(to: Failure.self), bufferSize: bufferSize)
  }

  /// Like ``window(by:bufferSize:)``, where neither publisher can fail.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(by boundary: P, bufferSize: Int) -> Publishers.Window<Self, P>
  where Failure == Never, P.Failure == Never {
    Publishers.Window(upstream: self, boundary: boundary, bufferSize: bufferSize)
  }
}

extension Publishers {
  /// The publisher of `window(by:bufferSize:)`.
  @frozen
  public struct Window<Upstream: Publisher, Boundary: Publisher>: Publisher
  where Boundary.Failure == Upstream.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = AnyPublisher<Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are dealt out.
    public let upstream: Upstream

    /// The publisher whose values end a window.
    public let boundary: Boundary

    /// How many values a window keeps for subscribers that come later.
    public let bufferSize: Int

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, boundary: Boundary, bufferSize: Int) {
      require(
        bufferSize > 0, or: "window(bufferSize: \(bufferSize)): there must be room for a value. Make it at least one.")
      self.upstream = upstream
      self.boundary = boundary
      self.bufferSize = bufferSize
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Windows(signals: Bounded(upstream: upstream, boundary: boundary), bufferSize: bufferSize)
        .buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
        .receive(subscriber: subscriber)
    }
  }
}

/// The windows of a stream, for a subscriber that asks for all of them.
@usableFromInline @frozen
struct Windows<Signals: Publisher, Element>: Publisher where Signals.Output == BoundarySignal<Element> {
  @usableFromInline typealias Output = AnyPublisher<Element, Signals.Failure>
  @usableFromInline typealias Failure = Signals.Failure
  @usableFromInline let signals: Signals
  @usableFromInline let bufferSize: Int

  @inlinable
  init(signals: Signals, bufferSize: Int) {
    self.signals = signals
    self.bufferSize = bufferSize
  }

  @inlinable @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    signals.subscribe(
      GroupingSubscriber<Bool, Element, S>(
        subscriber, maxGroups: 1, bufferSize: bufferSize, key: { _ in true }, present: { AnyPublisher($1) }))
  }
}

extension Publishers.Window: Equatable where Upstream: Equatable, Boundary: Equatable {}
extension Publishers.Window: Sendable where Upstream: Sendable, Boundary: Sendable {}
