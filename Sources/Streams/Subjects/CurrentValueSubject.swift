/// A subject that has a value, sends each new one, and starts every subscriber with the newest.
///
/// A subscriber that wants nothing yet gets the newest value once it asks; those in between are lost to it.
/// Otherwise like ``PassthroughSubject``, order and threads included.
///
///     let subject = CurrentValueSubject<Int, Never>(1)
///     let cancellable = subject.sink { print($0) }   // 1
///     subject.value = 2                               // 2
///
/// ![Marble diagram of CurrentValueSubject](diagram-currentValueSubject)
@_fixed_layout
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  /// Makes a subject with its first value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  /// The newest value; setting it sends it. After the end, a value that is set is kept, and sent to nobody.
  @inlinable
  public var value: Output {
    get { broadcast.withElements { $1.current! } }
    set { broadcast.sendNewest(newValue, keepsAfterEnd: true) }
  }

  /// Makes a value the newest and sends it to the subscribers; does nothing after the end.
  @inlinable
  public func send(_ value: Output) { broadcast.sendNewest(value) }

  /// Ends the subject; nothing that is sent later reaches anyone.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Takes the subscription of a publisher; everything is asked of it at once, so that ``value`` is never stale.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.attach(subscription) }

  /// Attaches a subscriber.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribe(subscriber)
  }
}

// Unchecked: all state is behind the lock of `broadcast`; values cross threads when they are sent from several.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
