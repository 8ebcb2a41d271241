/// A publisher that calls a closure for each subscriber and attaches the subscriber to the resulting publisher.
///
///     Deferred { Just(Date()) }
///
/// ![subscriber 1 receives 1 and finishes; subscriber 2, subscribed at 400 ms, receives 2 and finishes.](diagram-deferred)
///
/// Work that the closure starts is repeated for each subscriber. To start it once for all, apply `share()` or `share(replay: 1)`.
/// Demand, values, completion and cancellation are the returned publisher's.
@frozen
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  public typealias Output = DeferredPublisher.Output
  public typealias Failure = DeferredPublisher.Failure

  public let createPublisher: () -> DeferredPublisher

  /// Creates a publisher that calls a closure for each subscriber.
  ///
  /// - Parameter createPublisher: A closure that creates the publisher to attach a subscriber to.
  @inlinable
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}
