public import Streams

/// A relay that sends its current value to each new subscriber, and each new value to all subscribers.
///
///     let name = CurrentValueRelay("Ada")
///     let cancellable = name.sink { print($0) }   // Ada
///     name.accept("Grace")                        // Grace
///
/// ![source publishes Grace and finishes; subscriber 1 receives Ada and Grace; subscriber 2, subscribed at 600 ms, receives Grace.](diagram-currentValueRelay)
///
/// This class works like a ``/Streams/CurrentValueSubject``, but you can't end it.
@_fixed_layout
public final class CurrentValueRelay<Output>: Relay {
  /// The failure type. A relay can't fail.
  public typealias Failure = Never

  @usableFromInline let broadcast: Broadcast<Output, Never>

  /// Creates a relay with an initial value.
  ///
  /// - Parameter value: The initial value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  deinit { broadcast.send(completion: .finished) }

  /// The current value.
  @inlinable
  public var value: Output { broadcast.newestValue }

  /// Replaces the current value and sends the new one to the subscribers.
  ///
  /// - Complexity: O(*n*), where *n* is the number of subscribers.
  @inlinable
  public func accept(_ value: Output) { broadcast.send(value) }

  @inlinable
  public func _accept<P: Publisher>(from publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(RelayInput(broadcast))
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

// Unchecked: the lock of `broadcast` guards all state. Values cross threads when several threads send them.
extension CurrentValueRelay: @unchecked Sendable where Output: Sendable {}
