extension Publisher where Self: Sendable {
  /// Hides the type of this publisher, and keeps that it may be handed to other actors.
  ///
  /// Costs what `eraseToAnyPublisher()` does.
  public __consuming func eraseToAnySendablePublisher() -> AnySendablePublisher<Output, Failure> {
    AnySendablePublisher(self)
  }
}

/// A publisher of which only the kinds of values and errors are known, and which may be handed to other actors.
///
/// Publishers that consist of sendable parts are sendable themselves. A chain with closures is not: a closure may use variables
/// of whoever made it. Such a chain is made anew for each subscriber, by a closure that is `@Sendable`:
///
///     let prices = AnySendablePublisher { [ticker] in ticker.map(\.price).removeDuplicates() }
///     Task { for await price in prices.values { … } }
///
/// What it emits, demand, cancellation and where it sends are those of the publisher that is made. Each subscription costs the
/// making, one object and one call for each value.
public struct AnySendablePublisher<Output, Failure: Error>: Publisher, Sendable, CustomStringConvertible {
  private let attach: @Sendable (AnySubscriber<Output, Failure>) -> Void

  /// Hides the type of a sendable publisher.
  public init<P: Publisher & Sendable>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    attach = { publisher.subscribe($0) }
  }

  /// Makes a publisher for each subscriber.
  ///
  /// - Parameter makePublisher: Called with each subscription, wherever that is made.
  public init<P: Publisher & SendableMetatype>(_ makePublisher: @escaping @Sendable () -> P)
  where P.Output == Output, P.Failure == Failure {
    attach = { makePublisher().subscribe($0) }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(AnySubscriber(subscriber))
  }

  /// `AnySendablePublisher`.
  public var description: String { "AnySendablePublisher" }
}
