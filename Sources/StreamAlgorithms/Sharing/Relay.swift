public import Streams

/// A publisher that you can send values to but can't end.
///
/// A relay is a ``/Streams/Subject`` without a completion, so code that has access to it can't end it for other code. If a publisher
/// bound to it ends, the relay continues. Unlike a subject, a relay isn't retained by its subscriptions or by the publishers
/// bound to it. When it's released, its subscribers receive a completion.
public protocol Relay<Output>: AnyObject, Publisher where Failure == Never {
  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func accept(_ value: Output)

  /// Binds the relay to a publisher, so that the relay accepts each of its values.
  ///
  /// If your own type doesn't implement this method, the default requests unlimited demand. It retains the relay until you
  /// cancel the returned object or the publisher ends.
  ///
  /// - Parameter publisher: The publisher whose values to accept.
  /// - Returns: A cancellable that detaches the relay.
  func accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never
}

extension Relay {
  /// Binds the relay to a publisher, so that the relay accepts each of its values.
  ///
  /// - Parameter publisher: The publisher whose values to accept.
  /// - Returns: A cancellable that detaches the relay, which is retained until then.
  @inlinable
  public func accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.sink(isolation: nil, receiveValue: { self.accept($0) })
  }
}

extension Relay where Output == Void {
  /// Sends an event without a value to the subscribers.
  @inlinable
  public func accept() { accept(()) }
}

extension Publisher where Failure == Never {
  /// Binds a relay to this publisher, so that the relay accepts each value.
  ///
  ///     let cancellable = names.subscribe(title)
  ///
  /// The relay requests unlimited demand. A ``PassthroughRelay`` does so only once one of its subscribers requests values, so
  /// if you bind it to a ``CurrentValueRelay``, it doesn't lose the first value. Other relays do so immediately. The relay is
  /// detached when you cancel or release the returned object, when this publisher completes, and when the relay is released,
  /// because the binding doesn't retain it. After the completion, the relay itself continues.
  ///
  /// - Parameter relay: The relay that accepts the values.
  /// - Returns: A cancellable that detaches the relay.
  /// - Complexity: The cost of `accept(_:)` for each value.
  @inlinable @_disfavoredOverload
  public func subscribe<R: Relay>(_ relay: R) -> AnyCancellable where R.Output == Output {
    relay.accept(from: self)
  }
}

/// The input of a relay that's bound to publishers. They retain this object instead of the relay.
@usableFromInline @_fixed_layout
final class RelayInput<Output>: Subject {
  @usableFromInline typealias Failure = Never
  @usableFromInline let broadcast: Broadcast<Output, Never>

  @inlinable
  init(_ broadcast: Broadcast<Output, Never>) { self.broadcast = broadcast }

  @inlinable
  func send(_ value: Output) {
    broadcast.send(value)
  }

  /// Has no effect: the relay outlasts the publishers that are bound to it.
  @inlinable
  func send(completion: Subscribers.Completion<Never>) {}

  @inlinable
  func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

/// A relay that forwards the values it accepts without buffering them.
///
///     let letters = PassthroughRelay<String>()
///     let cancellable = letters.sink { print($0) }
///     for letter in ["a", "b", "c"] { letters.accept(letter) }   // a b c
///
/// ![source publishes a, b and c and finishes; subscriber 1 receives a, b and c; subscriber 2, subscribed at 500 ms, receives c.](diagram-passthroughRelay)
///
/// This class is a ``/Streams/PassthroughSubject`` that can't end. Demand, order, threads and costs are the same.
@_fixed_layout
public final class PassthroughRelay<Output>: Relay {
  /// A relay can't fail.
  public typealias Failure = Never

  @usableFromInline let broadcast = Broadcast<Output, Never>()

  /// Creates a relay.
  @inlinable
  public init() {}

  deinit { broadcast.send(completion: .finished) }

  /// Sends a value to the subscribers that have demand.
  ///
  /// - Parameter value: The value to send.
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func accept(_ value: Output) { broadcast.send(value) }

  /// Binds the relay to a publisher, so that the relay accepts each of its values, like `publisher.subscribe(relay)`.
  ///
  /// - Parameter publisher: The publisher whose values to accept.
  /// - Returns: A cancellable that detaches the relay, which isn't retained.
  @inlinable
  public func accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(RelayInput(broadcast))
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

/// A relay that stores a current value, and sends it to each new subscriber and whenever it changes.
///
///     let name = CurrentValueRelay("Ada")
///     let cancellable = name.sink { print($0) }   // Ada
///     name.accept("Grace")                        // Grace
///
/// ![source publishes Grace and finishes; subscriber 1 receives Ada and Grace; subscriber 2, subscribed at 600 ms, receives Grace.](diagram-currentValueRelay)
///
/// This class is a ``/Streams/CurrentValueSubject`` that can't end. Demand, order, threads and costs are the same.
@_fixed_layout
public final class CurrentValueRelay<Output>: Relay {
  /// A relay can't fail.
  public typealias Failure = Never

  @usableFromInline let broadcast: Broadcast<Output, Never>

  /// Creates a relay with an initial value.
  ///
  /// - Parameter value: The initial value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  deinit { broadcast.send(completion: .finished) }

  /// The newest value.
  @inlinable
  public var value: Output { broadcast.newestValue }

  /// Replaces the current value and sends the new one to the subscribers.
  ///
  /// - Parameter value: The new value.
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func accept(_ value: Output) { broadcast.send(value) }

  /// Binds the relay to a publisher, so that the relay accepts each of its values, like `publisher.subscribe(relay)`.
  ///
  /// - Parameter publisher: The publisher whose values to accept.
  /// - Returns: A cancellable that detaches the relay, which isn't retained.
  @inlinable
  public func accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(RelayInput(broadcast))
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

/// A relay that buffers the newest values and replays them to each new subscriber.
///
///     let letters = ReplayRelay<String>(bufferSize: 2)
///     for letter in ["a", "b", "c"] { letters.accept(letter) }
///     let cancellable = letters.sink { print($0) }   // b c
///
/// ![source publishes a, b and c and finishes; subscriber 1 receives a, b and c; subscriber 2, subscribed at 900 ms, receives b and c.](diagram-replayRelay)
///
/// This class is a ``ReplaySubject`` that can't end. Demand, order, threads, memory and costs are the same.
@_fixed_layout
public final class ReplayRelay<Output>: Relay {
  /// A relay can't fail.
  public typealias Failure = Never

  @usableFromInline let broadcast: Broadcast<Output, Never>

  /// Creates a relay with a buffer of the given size.
  ///
  /// - Parameter bufferSize: The number of values to replay.
  /// - Precondition: `bufferSize` isn't negative.
  @inlinable
  public init(bufferSize: Int) {
    requireNotNegative(bufferSize, in: "ReplayRelay(bufferSize:)", "a size")
    broadcast = Broadcast(keeping: bufferSize)
  }

  deinit { broadcast.send(completion: .finished) }

  /// Sends a value to the subscribers, and buffers it.
  ///
  /// - Parameter value: The value to send.
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func accept(_ value: Output) { broadcast.send(value) }

  /// Binds the relay to a publisher, so that the relay accepts each of its values, like `publisher.subscribe(relay)`.
  ///
  /// - Parameter publisher: The publisher whose values to accept.
  /// - Returns: A cancellable that detaches the relay, which isn't retained.
  @inlinable
  public func accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(RelayInput(broadcast))
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

// Unchecked: the lock of `broadcast` guards all state. Values cross threads when they are accepted on several.
extension PassthroughRelay: @unchecked Sendable where Output: Sendable {}
extension CurrentValueRelay: @unchecked Sendable where Output: Sendable {}
extension ReplayRelay: @unchecked Sendable where Output: Sendable {}
