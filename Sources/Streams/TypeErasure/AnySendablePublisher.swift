extension Publisher where Self: Sendable {
  /// Erases the type of this publisher and keeps its `Sendable` conformance, so that other actors may use it.
  ///
  /// Demand, completion and cancellation pass through unchanged. The cost is that of `eraseToAnyPublisher()`.
  ///
  /// - Returns: A sendable publisher with the same output and failure types.
  /// - Complexity: O(1) for each value.
  @_disfavoredOverload
  public __consuming func eraseToAnySendablePublisher() -> AnySendablePublisher<Output, Failure> {
    AnySendablePublisher(self)
  }
}

/// A type-erased publisher that other actors may use, and of which only the output and failure types are known.
///
/// Publishers that consist of sendable parts are sendable themselves. A chain with closures is not, because a closure
/// may use variables of the code that created it. Such a chain is created anew for each subscriber, by a closure that
/// is `@Sendable`:
///
///     let prices = AnySendablePublisher { [ticker] in ticker.map(\.price).removeDuplicates() }
///     Task { for await price in prices.values { … } }
///
/// Its output, demand, cancellation and place of delivery are those of the publisher that the closure returns. Each
/// subscription costs a call of the closure and one object; each value costs one call.
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
  /// - Parameter makePublisher: A closure that returns the publisher. It is called on the thread that subscribes.
  public init<P: Publisher & SendableMetatype>(_ makePublisher: @escaping @Sendable () -> P)
  where P.Output == Output, P.Failure == Failure {
    attach = { makePublisher().subscribe($0) }
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(AnySubscriber(subscriber))
  }

  /// `AnySendablePublisher`.
  public var description: String { "AnySendablePublisher" }
}
