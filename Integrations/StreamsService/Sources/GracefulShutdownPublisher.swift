internal import ServiceLifecycle
internal import StreamAlgorithms
public import Streams

/// A publisher that publishes one value when the graceful shutdown of the current task is triggered, then finishes.
///
/// ```swift
/// func run() async throws {
///   for await order in orders.finish(when: GracefulShutdownPublisher()).values { await store(order) }
/// }
/// ```
///
/// Subscribe in a task that a `ServiceGroup` runs, or in one of its child tasks. The publisher observes the shutdown of the
/// task in which you subscribe. If that has already been triggered, the value follows shortly after the subscription. Outside a
/// group, nothing is ever published.
///
/// The value arrives on a thread of the concurrency pool, never inside the group's own locks. It waits for demand. Each
/// subscription costs a task, which ends when you cancel the subscription. Cancelling the subscribing task doesn't end the
/// stream.
public struct GracefulShutdownPublisher: Publisher, Sendable {
  public typealias Output = Void
  public typealias Failure = Never

  /// Creates the publisher.
  public init() {}

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    // The task inherits the shutdown of the subscribing task. It throws only if it's cancelled, together with the subscription.
    Deferred { try await gracefulShutdown() }.catch { _ in Empty(completeImmediately: false) }.subscribe(subscriber)
  }
}
