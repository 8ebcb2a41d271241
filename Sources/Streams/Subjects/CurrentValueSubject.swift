/// A subject that stores its newest value and sends it to each new subscriber, followed by later values.
///
/// A subscriber without demand receives the newest value once it requests one, unless the subject has ended by then. It misses
/// the values in between. Order, threads and cost are the same as described for ``PassthroughSubject``.
///
///     let subject = CurrentValueSubject<Int, Never>(1)
///     let cancellable = subject.sink { print($0) }   // 1
///     subject.value = 2                               // 2
///
/// ![source publishes 2 and finishes; subscriber 1 receives 1 and 2 and finishes; subscriber 2, subscribed at 600 ms, receives 2 and finishes.](diagram-currentValueSubject)
@_fixed_layout
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  /// Creates a subject with an initial value.
  ///
  /// - Parameter value: The initial value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  /// The current value. Setting it sends the new value to the subscribers or, after the subject has ended, only stores it.
  @inlinable
  public var value: Output {
    get { broadcast.newestValue }
    set { broadcast.send(newValue, keepsAfterEnd: true) }
  }

  /// Replaces the current value and sends the new one to the subscribers. Does nothing after the subject has ended.
  @inlinable
  public func send(_ value: Output) { broadcast.send(value) }

  /// Ends the subject.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Attaches the subject to a publisher. The subject requests unlimited demand immediately, even without subscribers, to keep
  /// ``value`` current. If the subject has ended, it cancels the subscription instead.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  /// Attaches a subscriber, which receives the current value when it requests a value or, if the subject has ended, only the
  /// completion.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

// Unchecked: `broadcast`'s lock protects all state. Values cross threads when several threads send.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
