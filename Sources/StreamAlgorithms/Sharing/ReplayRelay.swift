public import Streams

/// A relay that buffers the newest values and replays them to each new subscriber.
///
///     let letters = ReplayRelay<String>(bufferSize: 2)
///     for letter in ["a", "b", "c"] { letters.accept(letter) }
///     let cancellable = letters.sink { print($0) }   // b c
///
/// ![source publishes a, b and c and finishes; subscriber 1 receives a, b and c; subscriber 2, subscribed at 900 ms, receives b and c.](diagram-replayRelay)
///
/// This class works like a ``ReplaySubject``, but you can't end it.
@_fixed_layout
public final class ReplayRelay<Output>: Relay {
  /// The failure type. A relay can't fail.
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
extension ReplayRelay: @unchecked Sendable where Output: Sendable {}
