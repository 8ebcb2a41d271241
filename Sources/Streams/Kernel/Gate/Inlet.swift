extension Engine where M: SlotMachine & ~Copyable {
  /// Attaches a source, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(_ source: Source, slot: Int = 0)
  where Source.Output == M.Input, Source.Failure == M.Failure { attach(source, Inlet(self, slot: slot)) }
}

extension Engine where M: ~Copyable {
  /// Attaches a source whose elements are not like those of the others, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(
    _ source: Source, slot: Int, receive: @escaping ClosureInlet<M, Source.Output, Source.Failure>.Receive,
    end: @escaping ClosureInlet<M, Source.Output, Source.Failure>.End
  ) { attach(source, ClosureInlet(self, slot, receive, end)) }

  /// Attaches a source whose elements are not like those of the others, but whose completion is.
  @inlinable @inline(__always)
  package func attach<Source: Publisher>(
    _ source: Source, slot: Int, receive: @escaping ClosureInlet<M, Source.Output, M.Failure>.Receive
  ) where Source.Failure == M.Failure {
    attach(source, ClosureInlet(self, slot, receive) { $0.sourceEnded($1, $2, &$3) })
  }
}

/// The subscriber of a source of an engine. A conforming type decides what happens to an element.
@usableFromInline
package protocol EngineInlet: Subscriber, InspectedSubscriber, SlotSubscriber {
  associatedtype Owner: SourceOwner
  var engine: Owner { get }
}

extension EngineInlet {
  @usableFromInline package static var role: SubscriberRole { .ends }

  @inlinable
  package var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  package func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }

  /// What a report finds out about this source: see ``Gate/limit(of:)``.
  @usableFromInline package var limit: (operatorName: String?, subscriber: Any?) { engine.limit(of: slot) }
}

extension EngineInlet where Failure == Owner.SourceFailure {
  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) { engine.endSource(slot, completion) }
}

/// An engine as its inlets know it, which need not know that machines may be noncopyable.
@usableFromInline
package protocol SourceOwner: Gate {
  associatedtype SourceFailure: Error
  func connect(_ subscription: any Subscription, to slot: Int)
  func endSource(_ slot: Int, _ completion: Subscribers.Completion<SourceFailure>)
}

extension Engine: SourceOwner where M: ~Copyable {
  @usableFromInline package typealias SourceFailure = M.Failure
}

/// The subscriber of a source of an engine.
@usableFromInline @frozen
package struct Inlet<M: SlotMachine & ~Copyable>: EngineInlet {
  @usableFromInline package typealias Input = M.Input
  @usableFromInline package typealias Failure = M.Failure
  @usableFromInline package let engine: Engine<M>
  @usableFromInline package let slot: Int

  @inlinable
  package init(_ engine: Engine<M>, slot: Int = 0) {
    self.engine = engine
    self.slot = slot
  }

  // Never inlined, so that the code of a machine exists once, and not in each chain in front of it.
  @inlinable @inline(never)
  package func receive(_ input: M.Input) -> Subscribers.Demand {
    @inline(__always)
    func decide(_ machine: inout M, _ reaction: inout Reaction<M.Output, M.Failure>) {
      machine.received(input, from: slot, &reaction)
    }
    engine.react(to: .element, decide)
    return .none
  }
}

/// The subscriber of a source that a machine handles in its own way. The closures capture nothing.
@usableFromInline @frozen
package struct ClosureInlet<M: Machine & ~Copyable, Input, Failure: Error>: EngineInlet {
  /// Takes the element, and may leave another one in its place to be released without the lock.
  @usableFromInline package typealias Receive = (inout M, Int, inout Input?, inout Reaction<M.Output, M.Failure>) ->
    Void
  @usableFromInline package typealias End = (
    inout M, Int, Subscribers.Completion<Failure>, inout Reaction<M.Output, M.Failure>
  ) -> Void
  @usableFromInline package let engine: Engine<M>
  @usableFromInline package let slot: Int
  @usableFromInline package let receiveElement: Receive
  @usableFromInline package let end: End

  @inlinable
  package init(_ engine: Engine<M>, _ slot: Int, _ receive: @escaping Receive, _ end: @escaping End) {
    self.engine = engine
    self.slot = slot
    receiveElement = receive
    self.end = end
  }

  @inlinable @inline(never)
  package func receive(_ input: Input) -> Subscribers.Demand {
    var element: Input? = input
    engine.react(to: .element) { receiveElement(&$0, slot, &element, &$1) }
    extendLifetime(element)
    return .none
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    engine.transition(.completion) { end(&$0, slot, completion, &$1) }
  }
}
