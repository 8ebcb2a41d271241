extension Publisher {
  /// Passes on values until another publisher sends one, and finishes then.
  ///
  /// ![Marble diagram of prefix(untilOutputFrom:)](diagram-prefix-untilOutputFrom)
  ///
  /// The other publisher's completion is ignored. Demand passes through; at the end the one that is left is cancelled.
  @inlinable
  public __consuming func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }

  /// Leaves out values until another publisher sends one, and passes on those that come afterwards.
  ///
  /// ![Marble diagram of drop(untilOutputFrom:)](diagram-drop-untilOutputFrom)
  ///
  /// A value that is left out gives its demand back. If the other publisher finishes without a value, nothing can follow:
  /// the stream finishes. If it fails before, the stream fails.
  @inlinable
  public __consuming func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where P.Failure == Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// The publisher of ``Publisher/prefix(untilOutputFrom:)``.
  @frozen
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// The publisher whose first value ends the stream.
    public let other: Other

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.until(opensOnTrigger: false)
      let outlet = engine.makeOutlet(for: subscriber)
      engine.attach(other, TriggerSubscriber(engine, outlet))
      if !engine.isOver { engine.attach(upstream, Child(engine, outlet, slot: UntilMachine.main)) }
    }
  }

  /// The publisher of ``Publisher/drop(untilOutputFrom:)``.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// The kind of values this publisher sends.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher may fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are passed on.
    public let upstream: Upstream

    /// The publisher whose first value lets them through.
    public let other: Other

    /// Makes the publisher.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    /// Attaches a subscriber.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = Engine.until(opensOnTrigger: true)
      let outlet = engine.makeOutlet(for: subscriber)
      engine.attach(other, TriggerSubscriber(engine, outlet))
      if !engine.isOver { engine.attach(upstream, Child(engine, outlet, slot: UntilMachine.main)) }
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

/// The subscriber of the publisher that opens or closes the gate.
@usableFromInline @frozen
struct TriggerSubscriber<Input, Failure: Error, Output, DownstreamFailure: Error>: Subscriber {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Output, DownstreamFailure>

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Output, DownstreamFailure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: UntilMachine.trigger) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    engine.receive(from: UntilMachine.trigger, store: {})
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: engine.end(UntilMachine.trigger, failed: false)
    case .failure(let error):
      engine.end(
        UntilMachine.trigger, failed: true,
        store: { if let error = error as? DownstreamFailure { outlet.completion = .failure(error) } })
    }
  }
}

extension Engine {
  @usableFromInline
  static func until(opensOnTrigger: Bool) -> Engine { Engine(UntilMachine(opensOnTrigger: opensOnTrigger)) }
}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
