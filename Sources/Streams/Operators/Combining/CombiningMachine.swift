/// A machine that combines the elements of a fixed number of sources. It keeps those that wait for others.
///
/// By default, every request from downstream goes to every source.
@usableFromInline
package protocol CombiningMachine: Machine, ~Copyable {
  var sources: FixedSources { get set }

  /// Handles an element that has been kept.
  mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>)

  /// Indicates whether an output may follow, although the source of the slot has ended.
  func continues(without slot: Int) -> Bool

  /// Gives up the elements that are kept.
  mutating func discardElements(_ reaction: inout Reaction<Output, Failure>)
}

extension CombiningMachine where Self: ~Copyable {
  @inlinable package mutating func kept(_ slot: Int, _ reaction: inout Reaction<Output, Failure>) {}

  @inlinable
  package mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand? {
    sources.connected(subscription, to: slot, requesting: reaction.demand - reaction.waiting)
  }

  @inlinable
  package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {
    sources.request(more, &reaction)
  }

  @inlinable
  package mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    guard sources.ended(slot, &reaction) else { return }
    if case .finished = completion, continues(without: slot) { return }
    end(with: completion, &reaction)
  }

  /// Ends the stream, and cancels the sources that are left.
  @usableFromInline
  package mutating func end(
    with completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>
  ) {
    reaction.end(with: completion)
    cancelSources(&reaction)
  }

  @inlinable
  package mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>) { sources.cancel(&reaction) }

  @inlinable
  package mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) {
    cancelSources(&reaction)
    discardElements(&reaction)
  }
}

extension Engine where M: CombiningMachine & ~Copyable {
  /// Attaches a source whose elements are combined with others, unless nothing more will be delivered.
  ///
  /// `keep` captures nothing. It takes an element, and may leave another one in its place, which is released without the lock.
  @inlinable @inline(__always)
  package func combine<Source: Publisher>(
    _ source: Source, slot: Int, keep: @escaping CombinedInlet<M, Source.Output>.Keep
  ) where Source.Failure == M.Failure { attach(source, CombinedInlet(self, slot, keep)) }
}

/// The subscriber of a source whose elements are combined with others.
@usableFromInline @frozen
package struct CombinedInlet<M: CombiningMachine & ~Copyable, Input>: EngineInlet {
  @usableFromInline package typealias Failure = M.Failure
  @usableFromInline package typealias Keep = (inout M, Int, inout Input?) -> Void
  @usableFromInline package let engine: Engine<M>
  @usableFromInline package let slot: Int
  @usableFromInline package let keep: Keep

  @inlinable
  package init(_ engine: Engine<M>, _ slot: Int, _ keep: @escaping Keep) {
    self.engine = engine
    self.slot = slot
    self.keep = keep
  }

  @inlinable
  package func receive(_ input: Input) -> Subscribers.Demand {
    var element: Input? = input
    engine.react(to: .element) {
      guard $0.sources.live.contains(slot) else { return }
      keep(&$0, slot, &element)
      $0.kept(slot, &$1)
    }
    extendLifetime(element)
    return .none
  }
}
