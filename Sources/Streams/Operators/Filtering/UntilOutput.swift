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
      receive(subscriber: subscriber, as: "prefix(untilOutputFrom:)")
    }

    /// Subscribes for an operator with the given name.
    @inlinable @inline(__always)
    package func receive<S: Subscriber>(subscriber: S, as name: String) where S.Input == Output, S.Failure == Failure {
      let machine = UntilMachine<Output, Failure>(on: .finishes, name)
      let engine = Engine.make(machine, for: subscriber)
      // A failure of the other publisher doesn't matter.
      engine.attach(other, slot: 1) {
        $0.triggered(&$3)
      } end: {
        $0.triggerEnded(.finished, &$3)
      }
      engine.attach(upstream)
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
      let machine = UntilMachine<Output, Failure>(on: .opens, "drop(untilOutputFrom:)")
      let engine = Engine.make(machine, for: subscriber)
      engine.attach(other, slot: 1) {
        $0.triggered(&$3)
      } end: {
        $0.triggerEnded($2, &$3)
      }
      engine.attach(upstream)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

/// Forwards the elements of one source until, or from the moment that, another sends an element.
@usableFromInline @frozen
package struct UntilMachine<Element, Failure: Error>: SlotMachine {
  @usableFromInline package typealias Output = Element

  /// What the first element of the trigger does.
  @usableFromInline @frozen
  package enum Action {
    /// Elements are forwarded from then on.
    case opens
    /// The stream finishes, after the elements that wait.
    case finishes
    /// The stream finishes now, without the elements that wait for demand.
    case cuts
  }

  @usableFromInline package let action: Action
  @usableFromInline package let name: String
  @usableFromInline package var source = SingleSource()
  @usableFromInline package var trigger = SingleSource()
  /// Indicates whether the trigger has neither sent an element nor ended.
  @usableFromInline package var isTriggerLive = true
  /// Indicates whether elements are forwarded.
  @usableFromInline package var isOpen: Bool

  @inlinable @inline(never)
  package init(on action: Action, _ name: String) {
    self.action = action
    self.name = name
    isOpen = action != .opens
  }

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    if slot == 0 { return source.connected(subscription, requesting: reaction.demand) }
    return isTriggerLive ? trigger.connected(subscription, requesting: .max(1)) : nil
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    reaction.request(more, from: source.subscription)
  }

  @inlinable @inline(__always)
  package mutating func received(_ element: Element, from slot: Int, _ reaction: inout Reaction<Output, Failure>) {
    if isOpen {
      reaction.emit(element)
    } else if reaction.demand != .unlimited {
      // The demand of a dropped element is given back.
      reaction.request(.max(1), from: source.subscription)
    }
  }

  /// Handles an element of the trigger.
  @usableFromInline
  package mutating func triggered(_ reaction: inout Reaction<Output, Failure>) {
    guard isTriggerLive else { return }
    isTriggerLive = false
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

  /// Handles the completion of the trigger.
  @usableFromInline
  package mutating func triggerEnded(
    _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    guard isTriggerLive else { return }
    isTriggerLive = false
    trigger.ended(&reaction)
    guard action == .opens else { return }
    // Nothing can open the gate any more.
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    source.ended(&reaction)
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) {
    source.cancel(&reaction)
    isTriggerLive = false
    trigger.cancel(&reaction)
  }

  @usableFromInline
  package func inspect(_ tell: StreamFact.Tell) {
    source.tell(tell)
    tell(isTriggerLive ? .upstream : .ended, 1, trigger.subscription)
    tell(isOpen ? .open : .closed, 0, nil)
  }
}

extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
