/// The subscriber of an engine's source. It lends each element to the engine.
@usableFromInline @frozen
package struct Inlet<Input, Failure: Error>: Subscriber, EngineSubscriber {
  @usableFromInline package let engine: Engine
  @usableFromInline package let slot: Int

  @inlinable
  package init(_ engine: Engine, slot: Int = 0) {
    assert(
      engine.receives(Input.self, from: slot), "a source of \(Input.self) is attached to an engine of other elements")
    self.engine = engine
    self.slot = slot
  }

  // Never inlined, so the code exists once for each type of element, rather than once for each upstream chain.
  @inlinable @inline(never)
  package func receive(_ input: Input) -> Subscribers.Demand {
    ElementLayout.lend(input) { engine.receive($0, from: slot) }
    return .none
  }
}

/// The subscriber of a source whose elements are turned into sources.
@usableFromInline @frozen
package struct OuterInlet<Input, Source: Publisher>: Subscriber, EngineSubscriber {
  @usableFromInline package typealias Failure = Source.Failure
  @usableFromInline package let engine: Engine
  @usableFromInline package let makeSource: (Input) -> Source

  @inlinable
  package init(_ engine: Engine, _ makeSource: @escaping (Input) -> Source) {
    assert(
      engine.receives(Source.Output.self, from: 1),
      "a source of \(Source.Output.self) is attached to an engine of other elements")
    self.engine = engine
    self.makeSource = makeSource
  }

  @inlinable package var slot: Int { 0 }

  @inlinable
  package func receive(_ input: Input) -> Subscribers.Demand {
    let source = makeSource(input)
    // The cast is resolved when this code is specialized.
    if let just = source as? Just<Source.Output> {
      var more: Subscribers.Demand?
      ElementLayout.lend(just.output) {
        more = engine.deliverOnly($0)
        return more != nil
      }
      if let more { return more }
    }
    if let slot = engine.openSlot() {
      engine.attachNew(source, Inlet<Source.Output, Failure>(engine, slot: slot))
    }
    return .none
  }
}

/// The subscriber of an engine's source.
@usableFromInline
package protocol EngineSubscriber: InspectedSubscriber, SlotSubscriber, CustomCombineIdentifierConvertible {
  associatedtype Failure: Error
  var engine: Engine { get }
}

extension EngineSubscriber {
  @usableFromInline package static var role: SubscriberRole { .ends }

  @inlinable
  package var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  package func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }

  @inlinable
  package func receive(completion: Subscribers.Completion<Failure>) {
    if case .failure(let error) = completion { engine.endSource(slot, error) } else { engine.endSource(slot, nil) }
  }

  /// The result of ``Engine/limit(of:)``, for reports.
  @usableFromInline
  package var limit: (operatorName: String?, subscriber: Any?) { engine.limit(of: slot) }
}

/// A subscriber that passes a source's elements to an operator, which may request only as many as it has room for.
@usableFromInline
package protocol SlotSubscriber {
  /// The slot of the source: 0 if it's the only one.
  var slot: Int { get }
  var limit: (operatorName: String?, subscriber: Any?) { get }
}

extension Engine {
  /// Sends the engine downstream as the subscription of its receiver. An operator's initializer calls it, unless a comment says
  /// otherwise.
  @usableFromInline
  package final func begin(_ receiver: Receiver) {
    receiver.receiveEvent(receiver, .subscription(.passUnretained(self)))
  }

  /// Attaches a source, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package final func attach<Source: Publisher>(_ source: Source, slot: Int = 0) {
    attach(source, Inlet<Source.Output, Source.Failure>(self, slot: slot))
  }

  /// Attaches a source whose elements are turned into sources, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package final func attach<Outer: Publisher, Source: Publisher>(
    outer: Outer, _ makeSource: @escaping (Outer.Output) -> Source
  ) where Outer.Failure == Source.Failure { attach(outer, OuterInlet(self, makeSource)) }
}
