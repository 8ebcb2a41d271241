extension Publisher {
  /// Hides the type of this publisher.
  ///
  /// Costs one object for each subscriber and one call for each value. Erasing an erased publisher returns it.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher of which only the kinds of values and errors are known.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible {
  @usableFromInline let box: PublisherBox<Output, Failure>

  /// Hides the type of a publisher.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      box = PublisherBox { publisher.subscribe($0) }
    }
  }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.subscribe?(AnySubscriber(subscriber))
  }

  /// `AnyPublisher`.
  public var description: String { "AnyPublisher" }
}

/// Holds what an erased publisher does.
@usableFromInline
final class PublisherBox<Output, Failure: Error> {
  // Exclusive: a constant until nobody else has the box: the `deinit` takes it out before it is released.
  @usableFromInline typealias Subscribe = (AnySubscriber<Output, Failure>) -> Void
  @usableFromInline @exclusivity(unchecked) private(set) var subscribe: Subscribe?

  @usableFromInline
  init(_ subscribe: @escaping Subscribe) { self.subscribe = subscribe }

  // Erased publishers may be nested a hundred thousand deep; they are released in a loop.
  deinit { ThreadContext.current.release(subscribe.take()) }
}
