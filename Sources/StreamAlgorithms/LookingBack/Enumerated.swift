public import Streams

extension Publisher {
  /// Publishes each value with its number, counting from 0 or another number.
  ///
  ///     ["a", "b"].publisher.enumerated()   // (offset: 0, element: "a") (offset: 1, element: "b")
  ///
  /// ![The source publishes a and b and finishes; the result publishes 0 a and 1 b and finishes.](diagram-enumerated)
  ///
  /// Demand, completion, failure and cancellation pass through unchanged, and values are delivered on upstream's
  /// thread. After `Int.max`, the numbers continue with `Int.min`.
  ///
  /// - Parameter initial: The number of the first value, which may be negative.
  @inlinable @_disfavoredOverload
  public __consuming func enumerated(initial: Int = 0) -> EnumeratedPublisher<Self> {
    EnumeratedPublisher(upstream: self, initial: initial)
  }
}

/// The publisher that ``Streams/Publisher/enumerated(initial:)`` returns.
@frozen
public struct EnumeratedPublisher<Upstream: Publisher>: Publisher {
  public typealias Output = (offset: Int, element: Upstream.Output)
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let initial: Int

  @inlinable
  init(upstream: Upstream, initial: Int = 0) {
    self.upstream = upstream
    self.initial = initial
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(StageSubscriber<_, Upstream.Failure, _>(EnumeratedStage<Upstream.Output>(initial), subscriber))
  }
}

extension EnumeratedPublisher: Equatable where Upstream: Equatable {}

@usableFromInline @frozen
struct EnumeratedStage<Input>: Stage {
  @usableFromInline static var name: String { "enumerated" }

  @usableFromInline var number: Int

  @inlinable
  init(_ number: Int) { self.number = number }

  @inlinable
  static var callsOut: Bool { false }

  @inlinable
  mutating func receive(_ input: Input) throws(Never) -> Verdict<(offset: Int, element: Input)> {
    defer { number &+= 1 }
    return .emit((number, input))
  }
}

extension EnumeratedPublisher: Sendable where Upstream: Sendable {}
