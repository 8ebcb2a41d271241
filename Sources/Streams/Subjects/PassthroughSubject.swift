/// A subject that passes on what is sent into it, and keeps nothing.
///
/// A value goes to the subscribers that want one; for the others it is lost. Subscribers are served in the order in
/// which they subscribed. A value sent while another is being delivered, by a subscriber or on another thread, waits
/// until everybody has that one; `send` may then return before its value is delivered.
///
/// Sending may be done from any thread. A subscriber that comes after the completion receives that.
///
///     let subject = PassthroughSubject<Int, Never>()
///     let cancellable = subject.sink { print($0) }
///     subject.send(1)   // 1
///
/// ![Marble diagram of PassthroughSubject](diagram-passthroughSubject)
///
/// A send costs a constant amount and the work of the subscribers; adding and removing a subscriber is O(1). Who comes or
/// leaves while a value is being sent is entered or let go of when everybody has it.
@_fixed_layout
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  // Never inlined: it is there once for each kind of values.
  /// Makes a subject.
  @inlinable @inline(never)
  public init() { broadcast = Broadcast() }

  /// Sends a value to the subscribers that want one.
  @inlinable
  public func send(_ value: Output) { broadcast.send(value) }

  /// Ends the subject; nothing that is sent later reaches anyone.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Takes the subscription of a publisher; everything is asked of it once a subscriber asks for something.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.attach(subscription) }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber)
  }
}

// Unchecked: all state is behind the lock of `broadcast`; values cross threads when they are sent from several.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
