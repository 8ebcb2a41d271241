public import Streams

/// A publisher that you can send values to but can't end.
///
/// A relay is a ``/Streams/Subject`` without a completion, so code that has access to it can't end it for other code. If you
/// bind the relay to a publisher that ends, the relay continues. Unlike a subject, a relay isn't retained by its subscriptions
/// or by the publishers that it's bound to. When a relay is released, its subscribers receive a completion.
///
/// ```swift
/// func announce(_ names: some Relay<String>) { names.accept("Ada") }   // can't end the stream
/// ```
public protocol Relay<Output>: AnyObject, Publisher where Failure == Never {
  /// Sends a value to the subscribers.
  ///
  /// - Parameter value: The value to send.
  func accept(_ value: Output)

  /// Accepts each value from a publisher. Called by `subscribe(_:)`.
  ///
  /// The default implementation requests unlimited demand and retains the relay until you cancel the returned object or the
  /// publisher ends.
  func _accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never
}

extension Relay {
  @inlinable
  public func _accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.sink(isolation: nil, receiveValue: { self.accept($0) })
  }
}

extension Relay where Output == Void {
  /// Sends an event without a value to the subscribers.
  @inlinable
  public func accept() { accept(()) }
}

extension Publisher where Failure == Never {
  /// Binds a relay to this publisher, so the relay accepts each value that the publisher sends.
  ///
  ///     let cancellable = typedNames.subscribe(names)
  ///
  /// The relay requests unlimited demand. A ``PassthroughRelay`` waits until one of its own subscribers requests values, so it
  /// doesn't lose the first value when you bind it to a ``CurrentValueRelay``. The relay is detached when you cancel or release
  /// the returned object, when this publisher completes, and when the relay is released, because the binding doesn't retain it.
  /// A relay of your own type is retained until it's detached.
  ///
  /// - Parameter relay: The relay that accepts the values.
  /// - Returns: A cancellable that detaches the relay.
  /// - Complexity: The cost of `accept(_:)` for each value.
  @inlinable @_disfavoredOverload
  public func subscribe<R: Relay>(_ relay: R) -> AnyCancellable where R.Output == Output {
    relay._accept(from: self)
  }
}

/// The input of a relay that's bound to publishers. The publishers retain this object instead of the relay.
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

  /// Has no effect: the relay outlasts the publishers that it's bound to.
  @inlinable
  func send(completion: Subscribers.Completion<Never>) {}

  @inlinable
  func send(subscription: any Subscription) { broadcast.addUpstream(subscription) }

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}
