/// A publisher into which values are put from outside, and that cannot fail or finish.
///
/// It is a ``Subject`` without an end: whoever has it cannot end it for the others. The publishers that are bound to it may
/// end; it goes on.
public protocol Relay<Output>: AnyObject, Publisher where Failure == Never {
  /// Sends a value to the subscribers.
  func accept(_ value: Output)
}

extension Relay where Output == Void {
  /// Sends an event that has no value.
  @inlinable
  public func accept() { accept(()) }
}

extension Publisher where Failure == Never {
  /// Binds a relay to this publisher: it accepts each value.
  ///
  ///     let cancellable = names.subscribe(title)
  ///
  /// It asks for everything at once. Cancelling what is returned, or letting go of it, detaches the relay, which goes on, as it
  /// does when this publisher finishes. The relay is kept until then.
  @inlinable @_disfavoredOverload
  public func subscribe<R: Relay>(_ relay: R) -> AnyCancellable where R.Output == Output {
    sink(isolation: nil, receiveValue: { relay.accept($0) })
  }
}

/// A relay that passes on what it accepts, and keeps nothing.
///
///     let taps = PassthroughRelay<Void>()
///     let cancellable = taps.sink { print("tap") }
///     taps.accept()   // tap
///
/// ![Marble diagram of PassthroughRelay](diagram-passthroughRelay)
///
/// It is a ``PassthroughSubject`` that cannot end; demand, order, threads and costs are as there.
@_fixed_layout
public final class PassthroughRelay<Output>: Relay {
  /// A relay cannot fail.
  public typealias Failure = Never

  @usableFromInline let broadcast = Broadcast<Output, Never>()

  /// Makes a relay.
  @inlinable
  public init() {}

  /// Sends a value to the subscribers that want one.
  @inlinable
  public func accept(_ value: Output) { broadcast.send(value) }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

/// A relay that has a value, sends each new one, and starts every subscriber with the newest.
///
///     let name = CurrentValueRelay("Ada")
///     let cancellable = name.sink { print($0) }   // Ada
///     name.accept("Grace")                        // Grace
///
/// ![Marble diagram of CurrentValueRelay](diagram-currentValueRelay)
///
/// It is a ``CurrentValueSubject`` that cannot end; demand, order, threads and costs are as there.
@_fixed_layout
public final class CurrentValueRelay<Output>: Relay {
  /// A relay cannot fail.
  public typealias Failure = Never

  @usableFromInline let broadcast: Broadcast<Output, Never>

  /// Makes a relay with its first value.
  @inlinable
  public init(_ value: Output) { broadcast = Broadcast(current: value) }

  /// The newest value.
  @inlinable
  public var value: Output { broadcast.withElements { $1.current! } }

  /// Makes a value the newest and sends it to the subscribers.
  @inlinable
  public func accept(_ value: Output) { broadcast.sendNewest(value) }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribe(subscriber)
  }
}

/// A relay that keeps the newest values, and sends them to every subscriber that comes later.
///
///     let lines = ReplayRelay<String>(bufferSize: 100)
///     lines.accept("ready")
///     let cancellable = lines.sink { print($0) }   // ready
///
/// ![Marble diagram of ReplayRelay](diagram-replayRelay)
///
/// It is a ``ReplaySubject`` that cannot end; demand, order, threads, memory and costs are as there.
@_fixed_layout
public final class ReplayRelay<Output>: Relay {
  /// A relay cannot fail.
  public typealias Failure = Never

  @usableFromInline let broadcast: Broadcast<Output, Never>

  /// Makes a relay that keeps so many values.
  ///
  /// - Precondition: `bufferSize` is positive.
  @inlinable
  public init(bufferSize: Int) {
    require(
      bufferSize > 0,
      or: "ReplayRelay(bufferSize: \(bufferSize)): there must be room for a value. Use PassthroughRelay to keep none.")
    broadcast = Broadcast(keeping: bufferSize)
  }

  /// Sends a value to the subscribers, and keeps it.
  @inlinable
  public func accept(_ value: Output) { broadcast.sendAndKeep(value) }

  /// Attaches a subscriber.
  ///
  /// - Parameter subscriber: The subscriber to attach.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    broadcast.subscribeToKept(subscriber)
  }
}

// Unchecked: all state is behind the lock of `broadcast`; values cross threads when they are accepted on several.
extension PassthroughRelay: @unchecked Sendable where Output: Sendable {}
extension CurrentValueRelay: @unchecked Sendable where Output: Sendable {}
extension ReplayRelay: @unchecked Sendable where Output: Sendable {}
