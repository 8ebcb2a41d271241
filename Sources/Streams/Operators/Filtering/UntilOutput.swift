extension Publisher {
  /// Publishes values until another publisher publishes one, then finishes.
  ///
  /// ![values publishes a and b and is cancelled; stop publishes x and is cancelled; the result publishes a and b and finishes.](diagram-prefix-untilOutputFrom)
  ///
  /// When the stream ends, the operator cancels the publisher that is still running. Demand passes through unchanged. The
  /// operator requests one value from the other publisher and ignores its completion or failure.
  ///
  /// - Parameter publisher: The publisher whose first value ends the stream.
  /// - Returns: A publisher that publishes the values that arrive before that value.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }

  /// Drops values until another publisher publishes one, then publishes the values that arrive afterward.
  ///
  /// ![values publishes a, b, c and d and finishes; start publishes x and is cancelled; the result publishes c and d and finishes.](diagram-drop-untilOutputFrom)
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. It requests one value from the other
  /// publisher. If that publisher finishes without publishing a value, the stream finishes, because nothing can be published
  /// anymore. If it fails before its first value, the stream fails. In both cases, the operator cancels upstream.
  ///
  /// - Parameter publisher: The publisher whose first value lets values through.
  /// - Returns: A publisher that publishes the values that arrive after that value.
  /// - Complexity: O(1) for each value.
  @inlinable
  public __consuming func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where P.Failure == Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

extension Publishers {
  /// The publisher that ``Publisher/prefix(untilOutputFrom:)`` returns.
  @frozen
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The publisher whose first value ends the stream.
    public let other: Other

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - other: The publisher whose first value ends the stream.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.until(.finishes)
      let outlet = engine.makeOutlet(for: subscriber)
      engine.attach(other, TriggerSubscriber(engine, outlet))
      engine.attach(upstream, Child(engine, outlet, slot: UntilMachine.main))
    }
  }

  /// The publisher that ``Publisher/drop(untilOutputFrom:)`` returns.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The upstream publisher.
    public let upstream: Upstream

    /// The publisher whose first value lets values through.
    public let other: Other

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The upstream publisher.
    ///   - other: The publisher whose first value lets values through.
    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = OldEngine.until(.opens)
      let outlet = engine.makeOutlet(for: subscriber)
      engine.attach(other, TriggerSubscriber(engine, outlet))
      engine.attach(upstream, Child(engine, outlet, slot: UntilMachine.main))
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

/// The subscriber to the other publisher, whose first value opens or closes the gate.
@usableFromInline @frozen
struct TriggerSubscriber<Input, Failure: Error, Output, DownstreamFailure: Error>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Output, DownstreamFailure>

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Output, DownstreamFailure>) {
    self.engine = engine
    self.outlet = outlet
  }

  @inlinable
  var slot: OldMachine.Slot { UntilMachine.trigger }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    engine.receive(from: slot, store: {})
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: engine.sourceEnded(slot, failed: false)
    case .failure(let error):
      engine.sourceEnded(
        slot, failed: true,
        store: { if let error = error as? DownstreamFailure { outlet.completion = .failure(error) } })
    }
  }
}

extension OldEngine {
  @usableFromInline
  static func until(_ action: UntilMachine.Action) -> OldEngine { OldEngine(UntilMachine(on: action)) }
}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
