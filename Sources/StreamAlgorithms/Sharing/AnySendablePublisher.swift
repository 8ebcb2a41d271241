public import Streams

extension Publisher where Self: Sendable {
  /// Erases this publisher's type but keeps its `Sendable` conformance, so other actors can use the result.
  ///
  ///     let sendable: AnySendablePublisher<Int, Never> = numbers.eraseToAnySendablePublisher()
  ///
  /// Demand, completion and cancellation pass through unchanged. The operator costs as much as `eraseToAnyPublisher()`.
  @_disfavoredOverload
  public __consuming func eraseToAnySendablePublisher() -> AnySendablePublisher<Output, Failure> {
    AnySendablePublisher(self)
  }
}

/// A type-erased publisher that other actors can use. It shows only its output and failure types.
///
/// Publishers made only of sendable parts are sendable themselves. A chain with closures isn't, because a closure can use
/// variables of the code that created it. Instead, pass a `@Sendable` closure that creates the chain for each subscriber:
///
///     let prices = AnySendablePublisher { [ticker] in ticker.map(\.price).removeDuplicates() }
///     Task { for await price in prices.values { … } }
///
/// The publisher that the closure returns determines how demand and cancellation are handled and where values are delivered.
/// Each subscription costs one call to the closure and one object. Each value costs one call.
public struct AnySendablePublisher<Output, Failure: Error>: Publisher, Sendable, CustomStringConvertible {
  private let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void

  /// Erases the type of a sendable publisher.
  ///
  /// - Parameter publisher: The publisher to erase.
  public init<P: Publisher & Sendable>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    attach = { publisher.subscribe($0) }
  }

  /// Creates a publisher that calls a closure for each subscriber and attaches the subscriber to the result.
  ///
  /// - Parameter makePublisher: A closure that returns the publisher. It's called on the thread that subscribes.
  public init<P: Publisher & SendableMetatype>(_ makePublisher: @escaping @Sendable () -> P)
  where P.Output == Output, P.Failure == Failure {
    attach = { makePublisher().subscribe($0) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(AnySubscriber(subscriber))
  }

  /// The publisher's name.
  public var description: String { "AnySendablePublisher" }
}
