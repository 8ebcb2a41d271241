extension Publisher {
  /// Delivers values and the completion on an actor.
  ///
  ///     load().receive(on: MainActor.shared).sink { @MainActor in label.text = $0 }
  ///
  /// A value that arrives on the actor while nothing waits is delivered at once. Any other value is brought to the actor, by
  /// one job for everything that waits when the job begins. Values keep their order and never overlap. The subscription,
  /// demand and cancellation pass straight through; after a cancellation on the actor nothing is delivered, also of what
  /// waited. What waits is not bounded: put `buffer` or `throttle` before this where upstream may be faster than the actor.
  ///
  /// On a timeline that the sending thread is moving on, the job is one of that timeline.
  ///
  /// The stream does not retain the actor: when the actor is released, the stream is cancelled.
  @inlinable
  public func receive<Context: Actor>(on actor: Context) -> Publishers.ReceiveOnActor<Self, Context> {
    Publishers.ReceiveOnActor(upstream: self, actor: actor)
  }
}

extension Publishers {
  /// The publisher of `receive(on:)` with an actor.
  @frozen
  public struct ReceiveOnActor<Upstream: Publisher, Context: Actor>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are delivered.
    public let upstream: Upstream

    /// Where they are delivered.
    public let actor: Context

    /// Creates the publisher.
    @inlinable
    public init(upstream: Upstream, actor: Context) {
      self.upstream = upstream
      self.actor = actor
    }

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber to attach.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(subscriber, on: actor)
    }
  }
}

extension Publisher {
  /// Attaches a subscriber that receives on an actor.
  @inlinable
  func subscribe<S: Subscriber>(_ subscriber: S, on actor: any Actor) where S.Input == Output, S.Failure == Failure {
    let engine = Engine.receivingOn()
    let place = ActorPlace(actor)
    let outlet = engine.makeOutlet(for: subscriber, schedule: { engine, _ in place.drain(engine) })
    if !engine.isOver { engine.attach(self, ReceiveOnSubscriber(engine, outlet, place)) }
  }
}

extension Publishers.ReceiveOnActor {
  /// Calls closures on the actor for every value and for the completion, with the actor as their first argument.
  ///
  ///     prices.receive(on: account).sink { account, _ in account.close() } receiveValue: { account, price in
  ///       account.price = price
  ///     }
  ///
  /// It requests unlimited demand. The closures do not retain the actor; they are released when the stream ends or is cancelled.
  ///
  /// - Returns: A cancellable that keeps the stream alive; the stream is cancelled when it is released.
  public func sink(
    receiveCompletion: @escaping (isolated Context, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (isolated Context, Output) -> Void
  ) -> AnyCancellable {
    sink(isolation: nil) { [weak actor] completion in
      actor?.receive(completion, receiveCompletion)
    } receiveValue: { [weak actor] value in
      actor?.receive(value, receiveValue)
    }
  }
}

extension Publishers.ReceiveOnActor where Failure == Never {
  /// Calls a closure on the actor for every value, with the actor as its first argument.
  ///
  ///     prices.receive(on: account).sink { account, price in account.price = price }
  ///
  /// It requests unlimited demand. The closure does not retain the actor; it is released when the stream ends or is cancelled.
  ///
  /// - Returns: A cancellable that keeps the stream alive; the stream is cancelled when it is released.
  public func sink(receiveValue: @escaping (isolated Context, Output) -> Void) -> AnyCancellable {
    sink(isolation: nil) { [weak actor] value in actor?.receive(value, receiveValue) }
  }
}

extension Publishers.ReceiveOnActor where Context == MainActor {
  /// Calls closures on the main actor for every value and for the completion, also where they are made elsewhere.
  ///
  /// It requests unlimited demand. The closures are released when the stream ends or is cancelled.
  ///
  /// - Returns: A cancellable that keeps the stream alive; the stream is cancelled when it is released.
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

extension Publishers.ReceiveOnActor where Context == MainActor, Failure == Never {
  /// Calls a closure on the main actor for every value, also where it is made elsewhere.
  ///
  ///     nonisolated func observe() -> AnyCancellable {
  ///       titles.receive(on: MainActor.shared).sink { @MainActor in window.title = $0 }
  ///     }
  ///
  /// It requests unlimited demand. The closure is released when the stream ends or is cancelled.
  ///
  /// - Returns: A cancellable that keeps the stream alive; the stream is cancelled when it is released.
  public func sink(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
    sink(isolation: nil) { value in MainActor.receive(value, receiveValue) }
  }
}

extension Actor {
  /// Calls a closure that belongs to this actor, on which the caller is known to be.
  fileprivate nonisolated func receive<Signal>(_ signal: Signal, _ closure: @escaping (isolated Self, Signal) -> Void) {
    // Unchecked: the caller is on the actor, which the runtime is asked to confirm, so neither leaves it.
    nonisolated(unsafe) let (signal, closure) = (signal, closure)
    assumeIsolated { closure($0, signal) }
  }
}

extension MainActor {
  /// Calls a closure that belongs to the main actor, on which the caller is known to be.
  fileprivate static func receive<Signal>(_ signal: Signal, _ closure: @escaping @MainActor (Signal) -> Void) {
    // Unchecked: as above.
    nonisolated(unsafe) let signal = signal
    assumeIsolated { closure(signal) }
  }
}

extension Publishers.ReceiveOnActor: Sendable where Upstream: Sendable {}
