/// A subject that keeps the newest values, and sends them to every subscriber that comes later.
///
///     let subject = ReplaySubject<Int, Never>(bufferSize: 2)
///     for value in 1...3 { subject.send(value) }
///     let cancellable = subject.sink { print($0) }   // 2 3
///
/// ![Marble diagram of ReplaySubject](diagram-replaySubject)
///
/// A subscriber that comes after the completion receives the values that are kept, and then the completion, a failure too.
///
/// Each subscriber has its own demand. One that wants nothing when a value comes gets it once it asks, unless more than
/// `bufferSize` values have come meanwhile: then it gets the newest of them. Values that it has asked for are not lost to
/// it. The completion waits until it has received what is kept for it. Otherwise this is like ``PassthroughSubject``, order
/// and threads included; like ``CurrentValueSubject`` it asks any publisher that it is attached to for everything at once.
///
/// The values are kept once, however many subscribers there are, and for as long as the subject lives, also after the end.
@_fixed_layout
public final class ReplaySubject<Output, Failure: Error>: Subject {
  @usableFromInline let broadcast: Broadcast<Output, Failure>

  /// Makes a subject that keeps so many values.
  ///
  /// - Precondition: `bufferSize` is positive.
  @inlinable
  public convenience init(bufferSize: Int) {
    require(
      bufferSize > 0,
      or:
        "ReplaySubject(bufferSize: \(bufferSize)): there must be room for a value. Use PassthroughSubject to keep none."
    )
    self.init(Broadcast(keeping: bufferSize))
  }

  @inlinable
  init(_ broadcast: Broadcast<Output, Failure>) { self.broadcast = broadcast }

  /// Sends a value to the subscribers, and keeps it; does nothing after the end.
  @inlinable
  public func send(_ value: Output) { broadcast.sendAndKeep(value) }

  /// Ends the subject; nothing that is sent later reaches anyone.
  @inlinable
  public func send(completion: Subscribers.Completion<Failure>) { broadcast.send(completion: completion) }

  /// Takes the subscription of a publisher; everything is asked of it at once, so that the newest values are kept.
  @inlinable
  public func send(subscription: any Subscription) { broadcast.attach(subscription) }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcast.subscribeToKept(subscriber)
  }
}

// Unchecked: all state is behind the lock of `broadcast`; values cross threads when they are sent from several.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
