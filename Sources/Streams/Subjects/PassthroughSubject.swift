/// A subject that forwards the values that are sent to it, and stores none.
///
/// A value goes to the subscribers that have demand; for the others it is dropped. Subscribers are served in the order
/// in which they subscribed. A value sent while another is being delivered, by a subscriber or on another thread, waits
/// until all subscribers have received the other one; `send` may then return before its value is delivered.
///
/// Values may be sent from any thread. A subscriber that arrives after the completion receives the completion. A
/// subscription retains the subject until it ends, so a callback that sends may capture the subject weakly.
///
///     let subject = PassthroughSubject<Int, Never>()
///     let cancellable = subject.sink { print($0) }
///     subject.send(1)   // 1
///     subject.send(2)   // 2
///
/// ![source publishes 1 and 2 and finishes; subscriber 1 receives 1 and 2 and finishes; subscriber 2, subscribed at 500 ms, receives 2 and finishes.](diagram-passthroughSubject)
///
/// Sending a value takes O(1) time for each subscriber, and the subscriber's own work; adding or removing a subscriber
/// takes O(1). Subscribers that arrive or leave while a value is being sent are added or released when it has been
/// delivered to all.
@_fixed_layout
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  // Never inlined: one copy for each kind of values is enough.
  /// Creates a subject.
  @inlinable @inline(never)
  public init() { broadcast = Broadcast() }

  @inlinable
  init(_ broadcast: Broadcast<Output, Failure>) { self.broadcast = broadcast }

  /// Sends a value to the subscribers that have demand.
  ///
  /// - Parameter value: The value to send.
  @inlinable
  public func send(_ value: Output) { broadcast.send(value) }

  /// Ends the subject; subscribers receive nothing that is sent later.
  ///
  /// - Parameter completion: The completion to send.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Attaches the subject to a publisher, from which it requests unlimited demand once one of its subscribers requests
  /// values.
  ///
  /// - Parameter subscription: The subscription of the publisher.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.attach(subscription) }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

// Unchecked: all state is behind the lock of `broadcast`; values cross threads when several threads send.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
