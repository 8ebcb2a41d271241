import Streams

/// A subscription that has only a name.
final class NamedSubscription: Subscription, CustomStringConvertible {
  let description: String

  init(_ name: String) { description = name }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
