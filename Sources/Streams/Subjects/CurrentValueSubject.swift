/// A subject that stores its newest value. It sends that value to each new subscriber and every new value to all.
///
/// A subscriber without demand receives the newest value once it requests one. It misses the values in between. In all other
/// respects, including order and threads, the subject behaves like ``PassthroughSubject``.
///
///     let subject = CurrentValueSubject<Int, Never>(1)
///     let cancellable = subject.sink { print($0) }   // 1
///     subject.value = 2                               // 2
///
/// ![source publishes 2 and finishes; subscriber 1 receives 1 and 2 and finishes; subscriber 2, subscribed at 600 ms, receives 2 and finishes.](diagram-currentValueSubject)
@_fixed_layout
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  /// Creates a subject with its first value.
  ///
  /// - Parameter value: The first value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  /// The current value. Setting it sends it to the subscribers. After the completion, setting it only stores it.
  @inlinable
  public var value: Output {
    get { broadcast.withElements { _, elements, _ in elements.current! } }
    set { broadcast.sendNewest(newValue, keepsAfterEnd: true) }
  }

  /// Replaces the current value and sends the new one to the subscribers. After the completion, it does nothing.
  ///
  /// - Parameter value: The value to send.
  @inlinable
  public func send(_ value: Output) { broadcast.sendNewest(value) }

  /// Ends the subject. Subscribers receive nothing that you send later.
  ///
  /// - Parameter completion: The completion to send.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Attaches the subject to a publisher. It requests unlimited demand immediately, so that ``value`` is never stale.
  ///
  /// - Parameter subscription: The subscription of the publisher.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.attach(subscription) }

  /// Attaches a subscriber, which receives the current value or, after the end, the completion.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: __owned S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber, of: self)
  }
}

// Unchecked: the lock of `broadcast` protects all state. Values cross threads when several threads send.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
