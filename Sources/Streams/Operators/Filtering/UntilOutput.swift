extension Publisher {
  /// Publishes values until another publisher publishes one, then finishes.
  ///
  ///     prices.prefix(untilOutputFrom: stop)
  ///
  /// ![values publishes a and b and is cancelled; stop publishes x and is cancelled; the result publishes a and b and finishes.](diagram-prefix-untilOutputFrom)
  ///
  /// When the stream ends, the operator cancels each publisher that's still running. Demand passes through unchanged. The
  /// operator requests one value from the other publisher and ignores its completion or failure.
  ///
  /// - Parameter publisher: The publisher whose first value ends the stream.
  @inlinable
  public __consuming func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }

  /// Drops values until another publisher publishes one, then publishes the values that arrive afterward.
  ///
  ///     prices.drop(untilOutputFrom: taps)
  ///
  /// ![values publishes a, b, c and d and finishes; start publishes x and is cancelled; the result publishes c and d and finishes.](diagram-drop-untilOutputFrom)
  ///
  /// A dropped value doesn't use up demand: the operator requests another in its place. The operator requests one value from the
  /// other publisher. If that publisher finishes without a value, the stream finishes. If it fails before its first value, the
  /// stream fails. In both cases, the operator cancels upstream.
  ///
  /// - Parameter publisher: The publisher whose first value ends the dropping.
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

    public let upstream: Upstream
    public let other: Other

    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      receive(subscriber: subscriber, as: "prefix(untilOutputFrom:)")
    }

    /// Attaches a subscriber for the operator with the given name.
    @inlinable @inline(__always)
    package func receive<S: Subscriber>(subscriber: S, as name: String) where S.Input == Output, S.Failure == Failure {
      let engine = UntilEngine(SubscriberReceiver(subscriber), ElementLayout(Output.self), .finishes, name)
      engine.attach(trigger: other)
      engine.attach(upstream)
    }
  }

  /// The publisher that ``Publisher/drop(untilOutputFrom:)`` returns.
  @frozen
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let other: Other

    @inlinable
    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let engine = UntilEngine(
        SubscriberReceiver(subscriber), ElementLayout(Output.self), .opens, "drop(untilOutputFrom:)")
      engine.attach(trigger: other)
      engine.attach(upstream)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

/// Forwards one source's elements either until another source (the trigger, in slot 1) sends an element or only after it has.
@usableFromInline
package final class UntilEngine: Engine {
  /// The effect of the trigger's first element.
  @usableFromInline @frozen
  package enum Action {
    /// Elements are forwarded from then on.
    case opens
    /// The stream finishes after delivering the elements that wait for demand.
    case finishes
    /// The stream finishes, and elements that wait for demand are dropped.
    case cuts
  }

  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  private let action: Action
  private let alias: String
  @exclusivity(unchecked) private var source = SingleSource()
  /// The trigger, which is live until it has sent an element or ended.
  @exclusivity(unchecked) private var trigger = SingleSource()
  /// Indicates whether elements are forwarded.
  @exclusivity(unchecked) private var isOpen: Bool

  @usableFromInline
  package init(_ receiver: Receiver, _ layout: ElementLayout, _ action: Action, _ name: String) {
    self.action = action
    alias = name
    isOpen = action != .opens
    super.init(receiver, layout, [])
    begin(receiver)
  }

  package override var name: String { alias }

  package override func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction
  ) -> Subscribers.Demand? {
    if slot == 0 { return source.connected(subscription, requesting: reaction.demand) }
    return trigger.connected(subscription, requesting: .max(1))
  }

  package override func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction) {
    reaction.request(more, from: source.subscription)
  }

  package override func received(from slot: Int, _ reaction: inout Reaction) {
    if isOpen {
      reaction.emit()
    } else if reaction.demand != .unlimited {
      // Request another element in place of the dropped one.
      reaction.request(.max(1), from: source.subscription)
    }
  }

  /// Attaches the trigger. Its elements are ignored, because only their arrival matters.
  @inlinable
  package func attach<Trigger: Publisher>(trigger: Trigger) {
    attach(trigger, TriggerInlet<Trigger.Output, Trigger.Failure>(self))
  }

  @usableFromInline
  func receiveTrigger() {
    transition(.element) { reaction in
      guard trigger.isLive else { return }
      trigger.cancel(&reaction)
      switch action {
      case .opens: isOpen = true
      case .finishes:
        reaction.finish()
        cancelSources(&reaction)
      case .cuts:
        reaction.endEarly(with: .finished)
        cancelSources(&reaction)
      }
    }
  }

  package override func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<any Error>, _ reaction: inout Reaction
  ) {
    if slot == 1 {
      guard trigger.ended(&reaction) else { return }
      // With `.opens`, nothing can open the stream anymore. Otherwise, the trigger's end doesn't matter.
      guard action == .opens else { return }
    } else {
      source.ended(&reaction)
    }
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  package override func cancelSources(_ reaction: inout Reaction) {
    source.cancel(&reaction)
    trigger.cancel(&reaction)
  }

  package override func inspectContents(_ tell: StreamFact.Tell) {
    source.tell(tell)
    trigger.tell(tell, slot: 1)
    tell(isOpen ? .open : .closed, 0, nil)
  }
}

/// The subscriber to a trigger.
///
/// Its type tells an inspection that a trigger ended a stream.
@usableFromInline @frozen
package struct TriggerInlet<Input, Failure: Error>: Subscriber, EngineSubscriber {
  @usableFromInline let until: UntilEngine

  @inlinable
  init(_ engine: UntilEngine) { until = engine }

  @inlinable package var engine: Engine { until }
  @inlinable package var slot: Int { 1 }

  @inlinable @inline(never)
  package func receive(_ input: Input) -> Subscribers.Demand {
    until.receiveTrigger()
    return .none
  }
}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
