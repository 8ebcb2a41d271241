public import Streams

/// A relay that forwards the values it accepts without buffering them.
///
///     let letters = PassthroughRelay<String>()
///     let cancellable = letters.sink { print($0) }
///     for letter in ["a", "b", "c"] { letters.accept(letter) }   // a b c
///
/// ![source publishes a, b and c and finishes; subscriber 1 receives a, b and c; subscriber 2, subscribed at 500 ms, receives c.](diagram-passthroughRelay)
///
/// This class works like a ``/Streams/PassthroughSubject``, but you can't end it.
@_fixed_layout
public final class PassthroughRelay<Output>: Relay {
  /// The failure type. A relay can't fail.
  public typealias Failure = Never

  @usableFromInline let broadcast = Broadcast<Output, Never>()

  /// Creates a relay.
  @inlinable
  public init() {}

  deinit { broadcast.send(completion: .finished) }

  /// Sends a value to the subscribers that have demand.
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
extension PassthroughRelay: @unchecked Sendable where Output: Sendable {}
