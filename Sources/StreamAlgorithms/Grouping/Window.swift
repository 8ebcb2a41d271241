public import Streams

extension Publisher {
  /// Splits the stream into windows, which are publishers of the values between two boundaries sent by another publisher.
  ///
  ///     taps.window(by: everySecond, bufferSize: 16).flatMap { $0.count() }
  ///
  /// ![values publishes a, b, c, d and e and finishes; boundaries publishes x, x and x and is cancelled; the result publishes ab, cd and e and finishes.](diagram-window)
  ///
  /// A window opens when its first value arrives, and is published before that value, so windows are never empty. It finishes
  /// at the next boundary. A window buffers its newest `bufferSize` values for later subscribers, and handles demand like a
  /// ``ReplaySubject``. Values are delivered on upstream's thread, and buffered values on the thread that requests them.
  ///
  /// The operator requests unlimited demand from both publishers. A window waits for downstream demand. If another one
  /// opens in the meantime, the waiting window is dropped along with its values. When upstream finishes or either publisher
  /// fails, the open window ends in the same way. The stream ends after the waiting window, if any, has been delivered. Once
  /// the boundary publisher has finished, the last window is the open one or, if none is open, the next. After you cancel the
  /// stream, an open window doesn't receive any more values.
  ///
  /// - Parameters:
  ///   - boundary: The publisher whose values end a window.
  ///   - bufferSize: The number of values that a window buffers for later subscribers.
  /// - Precondition: `bufferSize` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(by boundary: P, bufferSize: Int) -> WindowPublisher<Self, P>
  where P.Failure == Failure {
    WindowPublisher(upstream: self, boundary: boundary, bufferSize: bufferSize)
  }

  /// Splits the stream into windows, like ``window(by:bufferSize:)-3jpjq``, with a boundary publisher that can't fail.
  ///
  /// - Precondition: `bufferSize` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(
    by boundary: P, bufferSize: Int
  ) -> WindowPublisher<Self, Publishers.SetFailureType<P, Failure>> where P.Failure == Never {
    window(by: boundary.setFailureType(to: Failure.self), bufferSize: bufferSize)
  }

  /// Splits the stream into windows, like ``window(by:bufferSize:)-3jpjq``, where neither publisher can fail.
  ///
  /// - Precondition: `bufferSize` is positive.
  @inlinable @_disfavoredOverload
  public __consuming func window<P: Publisher>(by boundary: P, bufferSize: Int) -> WindowPublisher<Self, P>
  where Failure == Never, P.Failure == Never {
    WindowPublisher(upstream: self, boundary: boundary, bufferSize: bufferSize)
  }
}

/// The publisher that `window(by:bufferSize:)` returns.
@frozen
public struct WindowPublisher<Upstream: Publisher, Boundary: Publisher>: Publisher
where Boundary.Failure == Upstream.Failure {
  public typealias Output = AnyPublisher<Upstream.Output, Upstream.Failure>
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let boundary: Boundary
  @usableFromInline let bufferSize: Int

  @inlinable
  init(upstream: Upstream, boundary: Boundary, bufferSize: Int) {
    require(
      bufferSize > 0, or: "window(bufferSize:) requires a size of at least 1, got \(bufferSize).")
    self.upstream = upstream
    self.boundary = boundary
    self.bufferSize = bufferSize
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    Windows(signals: Delimited(upstream: upstream, boundary: boundary), bufferSize: bufferSize)
      .subscribe(subscriber, keepingNewest: 1, .window)
  }
}

/// A publisher of a stream's windows. Its subscriber must request unlimited demand.
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
        subscriber, OperatorName("a window"), maxGroups: 1, bufferSize: bufferSize, key: { _ in true },
        present: { AnyPublisher($1) }))
  }
}

extension WindowPublisher: Equatable where Upstream: Equatable, Boundary: Equatable {}
extension WindowPublisher: Sendable where Upstream: Sendable, Boundary: Sendable {}
