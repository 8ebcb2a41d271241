public import Streams

/// A subject that buffers the newest values and replays them to each new subscriber.
///
///     let subject = ReplaySubject<Int, Never>(bufferSize: 2)
///     for value in 1...3 { subject.send(value) }
///     let cancellable = subject.sink { print($0) }   // 2 3
///
/// ![source publishes 1, 2 and 3 and finishes; subscriber 1 receives 1, 2 and 3 and finishes; subscriber 2 receives 2 and 3 and finishes; subscriber 3 receives 2 and 3 and finishes.](diagram-replaySubject)
///
/// A subscriber that arrives after the completion receives the buffered values and then the completion.
///
/// Each subscriber has its own demand. While it doesn't have any, the newest `bufferSize` values wait for it, and it misses
/// older ones. A value that has been requested is never lost. The completion waits until the subscriber has received the values
/// buffered for it. Otherwise, the subject orders and delivers values like a ``/Streams/PassthroughSubject``. Like a
/// ``/Streams/CurrentValueSubject``, the subject immediately requests unlimited demand from any publisher that you attach it
/// to.
///
/// The buffered values are stored only once for all subscribers, and kept for the subject's lifetime, even after the
/// completion.
@_fixed_layout
public final class ReplaySubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  /// Creates a subject with a buffer of the given size.
  ///
  /// - Parameter bufferSize: The number of values to replay.
  /// - Precondition: `bufferSize` isn't negative.
  @inlinable
  public convenience init(bufferSize: Int) {
    requireNotNegative(bufferSize, in: "ReplaySubject(bufferSize:)", "a size")
    self.init(Broadcast(keeping: bufferSize))
  }

  @inlinable
  init(_ broadcast: Broadcast<Output, Failure>) { self.broadcast = broadcast }

  /// Sends a value to the subscribers and buffers it. Has no effect after the completion.
  ///
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func send(_ value: Output) { broadcast.send(value) }

  /// Sends the completion and ends the subject. Anything sent later is dropped.
  ///
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Attaches the subject to a publisher, and immediately requests unlimited demand so that the newest values are buffered.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

// Unchecked: the lock of `broadcast` guards all state. Values cross threads when several threads send them.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
