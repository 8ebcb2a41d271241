public import Streams

/// A publisher in which values can be waiting: for the scheduler or the actor that it delivers them on, or until another thread
/// has delivered its value.
///
/// The publishers that `receive(on:)`, `merge` and `flatMap` return conform to this protocol. If you also pass `bounded` and
/// `whenFull`, you get an ``BoundedPublisher`` instead.
public protocol BoundablePublisher: Publisher {
  /// Attaches a subscriber and limits the number of values that may be waiting for it.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - size: The maximum number of waiting values, at least 1.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  @_disfavoredOverload
  func receive<S: Subscriber>(
    subscriber: S, bounded size: Int, whenFull: OverflowStrategy<Failure>
  ) where S.Input == Output, S.Failure == Failure
}

/// A publisher that limits the number of waiting values.
///
/// You get one from `receive(on:)`, `merge(with:)` or `flatMap(_:)` when you also pass `bounded` and `whenFull`.
@frozen
public struct BoundedPublisher<Base: BoundablePublisher>: Publisher {
  public typealias Output = Base.Output
  public typealias Failure = Base.Failure

  /// The publisher without the bound.
  public let base: Base

  /// The maximum number of waiting values.
  public let bound: Int

  /// The strategy for handling a value when there's no room for it.
  public let whenFull: OverflowStrategy<Failure>

  /// Creates the publisher.
  ///
  /// - Parameters:
  ///   - base: The publisher in which values can be waiting.
  ///   - bound: The maximum number of waiting values. A number below one stops the program with a message.
  ///   - whenFull: The strategy for handling a value when there's no room for it.
  @inlinable
  public init(_ base: Base, bounded bound: Int, whenFull: OverflowStrategy<Failure>) {
    self.init(base, bounded: bound, whenFull: whenFull, for: "BoundedPublisher(_:bounded:whenFull:)")
  }

  /// Creates the publisher that an operator returns. The message about a bound below one names the operator.
  @inlinable
  init(_ base: Base, bounded bound: Int, whenFull: OverflowStrategy<Failure>, for operatorName: StaticString) {
    require(bound > 0, or: "\(operatorName) requires a bound of at least 1, got \(bound).")
    self.base = base
    self.bound = bound
    self.whenFull = whenFull
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    base.receive(subscriber: subscriber, bounded: bound, whenFull: whenFull)
  }
}
