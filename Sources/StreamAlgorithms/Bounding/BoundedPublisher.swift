public import Streams

/// A publisher that can hold waiting values and limit their number.
///
/// It's public only because ``BoundedPublisher`` is generic over it.
public protocol _BoundablePublisher: Publisher {
  /// Attaches a subscriber and limits the number of values that may be waiting for it.
  func _receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure
}

/// A publisher that limits the number of waiting values.
///
/// You get one from `buffer`, `share`, `receive(on:)`, `merge` or `flatMap` when you also pass `bounded` and `whenFull`.
@frozen
public struct BoundedPublisher<Base: _BoundablePublisher>: Publisher {
  public typealias Output = Base.Output
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base
  @usableFromInline let bound: Int
  @usableFromInline let whenFull: OverflowStrategy<Failure>

  /// Creates the publisher. If the bound is below one, stops the program with a message that names the operator.
  @inlinable
  init(_ base: Base, bounded bound: Int, whenFull: OverflowStrategy<Failure>, for operatorName: StaticString) {
    require(bound > 0, or: "\(operatorName) requires a bound of at least 1, got \(bound).")
    self.base = base
    self.bound = bound
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    base._receive(subscriber: subscriber, bounded: bound, whenFull: whenFull)
  }
}

extension BoundedPublisher: Sendable where Base: Sendable {}
