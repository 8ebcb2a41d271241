/// A subject that forwards the values you send to it without storing them.
///
/// Each value goes to the subscribers that have demand. The other subscribers miss it. Subscribers receive each value in the
/// order in which they subscribed. A value that you send during another delivery, from a subscriber or on another thread, waits
/// until all subscribers have received the earlier one. In that case, `send` may return first.
///
/// You can send values from any thread. A subscriber that arrives after the subject has ended receives the completion. A
/// subscription retains the subject until the subscription ends, so a callback that sends values can capture the subject weakly.
///
///     let subject = PassthroughSubject<Int, Never>()
///     let cancellable = subject.sink { print($0) }
///     subject.send(1)   // 1
///     subject.send(2)   // 2
///
/// ![source publishes 1 and 2 and finishes; subscriber 1 receives 1 and 2 and finishes; subscriber 2, subscribed at 500 ms, receives 2 and finishes.](diagram-passthroughSubject)
///
/// Sending a value takes O(1) time for each subscriber, plus the subscriber's own work. Adding or removing one takes amortized
/// O(1) time. During a delivery, that happens once the values sent until then have been delivered.
@_fixed_layout
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  // Never inlined, because one copy for each kind of value is enough.
  /// Creates a subject.
  @inlinable @inline(never)
  public init() { broadcast = Broadcast() }

  @inlinable @inline(never)
  init(_ broadcast: Broadcast<Output, Failure>) { self.broadcast = broadcast }

  /// Sends a value to the subscribers that have demand.
  @inlinable
  public func send(_ value: Output) { broadcast.send(value) }

  /// Ends the subject.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Attaches the subject to a publisher. The subject requests unlimited demand as soon as any of its subscribers has requested
  /// values. If the subject has ended, it cancels the subscription instead.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

// Unchecked: `broadcast`'s lock protects all state. Values cross threads when several threads send.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}

extension PassthroughSubject {
  /// Tells the stream observer that senders are waiting for a first subscriber.
  package func noteUnheard(_ senders: AnyObject) { StreamObserver.current?.unheard(senders, broadcast.core) }
}
