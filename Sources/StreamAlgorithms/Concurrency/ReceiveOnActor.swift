public import Streams

extension Publisher {
  /// Delivers values and the completion on an actor.
  ///
  ///     titles.receive(on: MainActor.shared).sink { @MainActor in label.text = $0 }
  ///
  /// A value that arrives on the actor while no other value waits is delivered immediately. Jobs on the actor deliver all other
  /// values. Each job delivers everything that is waiting when it begins. Values keep their order and never overlap. If the
  /// sending thread is advancing a timeline (a test's virtual time), the job runs on that timeline.
  ///
  /// The subscription, demand and cancellation pass through unchanged. After you cancel on the actor, nothing more is delivered,
  /// not even waiting values. The number of waiting values isn't bounded. If upstream can be faster than the actor, use
  /// `receive(on:bounded:whenFull:)`. A subscription doesn't retain the actor. When the actor is released, the stream is
  /// cancelled.
  ///
  /// - Parameter actor: The actor that values and the completion are delivered on.
  @inlinable @_disfavoredOverload
  public __consuming func receive<Context: Actor>(on actor: Context) -> ReceiveOnActorPublisher<Self, Context> {
    ReceiveOnActorPublisher(upstream: self, actor: actor)
  }
}

/// The publisher that `receive(on:)` returns for an actor.
@frozen
public struct ReceiveOnActorPublisher<Upstream: Publisher, Context: Actor>: IsolatedPublisher {
  public typealias Output = Upstream.Output
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream

  public let actor: Context

  @inlinable
  init(upstream: Upstream, actor: Context) {
    self.upstream = upstream
    self.actor = actor
  }

  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(subscriber, on: actor)
  }
}

/// A publisher that delivers values on an actor. If that's the main actor, the closures of sinks can be isolated to it.
public protocol IsolatedPublisher<Context>: Publisher {
  /// The type of the actor.
  associatedtype Context: Actor

  /// The actor that values and the completion are delivered on.
  var actor: Context { get }
}

extension IsolatedPublisher where Context == MainActor {
  /// Attaches a subscriber that calls closures on the main actor, like ``sink(receiveValue:)``: `receiveCompletion` with the
  /// completion, and `receiveValue` with each value.
  public func sink(
    receiveCompletion: @escaping @MainActor (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @MainActor (Output) -> Void
  ) -> AnyCancellable {
    sink(isolation: nil) { completion in
      MainActor.receive(completion, receiveCompletion)
    } receiveValue: { value in
      MainActor.receive(value, receiveValue)
    }
  }
}

extension IsolatedPublisher where Context == MainActor, Failure == Never {
  /// Attaches a subscriber that calls a closure on the main actor for each value, even if you create the sink elsewhere.
  ///
  ///     nonisolated func observe() -> AnyCancellable {
  ///       titles.receive(on: MainActor.shared).sink { @MainActor in window.title = $0 }
  ///     }
  ///
  /// The sink requests unlimited demand. The closure is released when the stream ends or is cancelled.
  ///
  /// - Parameter receiveValue: A closure that is called with each value.
  /// - Returns: A cancellable that keeps the stream alive. Releasing it cancels the stream.
  /// - Complexity: O(1) for each value, plus the cost of the closure.
  public func sink(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
    sink(isolation: nil) { value in MainActor.receive(value, receiveValue) }
  }
}

extension MainActor {
  /// Calls a closure isolated to the main actor. The caller must be on the main actor.
  fileprivate static func receive<Signal>(_ signal: Signal, _ closure: @escaping @MainActor (Signal) -> Void) {
    // Unchecked: the caller is on the main actor, which `assumeIsolated` verifies, so the signal doesn't leave it.
    nonisolated(unsafe) let signal = signal
    assumeIsolated { closure(signal) }
  }
}

extension ReceiveOnActorPublisher: Sendable where Upstream: Sendable {}
