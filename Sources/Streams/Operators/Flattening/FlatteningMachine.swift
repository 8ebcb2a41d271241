/// A machine whose sources are made from the elements of another one, the outer source, which has slot 0.
@usableFromInline
package protocol FlatteningMachine: SlotMachine, ~Copyable {
  /// Opens a slot for a source that an element of the outer source has become. Returns `nil` if it isn't wanted.
  mutating func open(_ reaction: inout Reaction<Output, Failure>) -> Int?

  /// What to request from the outer source in place of a source whose only element has been delivered without a slot; `nil`
  /// if every source needs a slot.
  var replacement: Subscribers.Demand? { get }
}

extension FlatteningMachine where Self: ~Copyable {
  @inlinable package var replacement: Subscribers.Demand? { nil }
}

extension Engine where M: FlatteningMachine & ~Copyable {
  /// Attaches the outer source, unless nothing more will be delivered.
  @inlinable @inline(__always)
  package func attach<Outer: Publisher, Source: Publisher>(
    outer: Outer, _ makeSource: @escaping (Outer.Output) -> Source
  ) where Outer.Failure == M.Failure, Source.Output == M.Input, Source.Failure == M.Failure {
    attach(outer, OuterInlet(self, makeSource))
  }

  /// Attaches a source that an element of the outer source has become, if it is wanted.
  @inlinable @inline(__always)
  package func attachInner<Source: Publisher>(_ source: Source)
  where Source.Output == M.Input, Source.Failure == M.Failure {
    var slot: Int?
    transition(.element) { slot = $0.open(&$1) }
    if let slot { attachNew(source, Inlet(self, slot: slot)) }
  }

  /// Delivers the only element of a source that needs no slot, if nothing is in its way. Returns the demand for the outer
  /// source.
  @inlinable @inline(__always)
  package func deliverOnly(_ element: M.Output) -> Subscribers.Demand? {
    var more: Subscribers.Demand?
    react(to: .element) { machine, reaction in
      guard reaction.canPass, let replacement = machine.replacement else { return }
      more = replacement
      reaction.emit(element)
    }
    return more
  }
}

/// The subscriber of the outer source, whose elements are sources or become sources.
@usableFromInline @frozen
package struct OuterInlet<M: FlatteningMachine & ~Copyable, Input, Source: Publisher>: EngineInlet
where Source.Output == M.Input, Source.Failure == M.Failure {
  @usableFromInline package typealias Failure = M.Failure
  @usableFromInline package let engine: Engine<M>
  @usableFromInline package let makeSource: (Input) -> Source

  @inlinable
  package init(_ engine: Engine<M>, _ makeSource: @escaping (Input) -> Source) {
    self.engine = engine
    self.makeSource = makeSource
  }

  @inlinable package var slot: Int { 0 }

  @inlinable
  package func receive(_ input: Input) -> Subscribers.Demand {
    let source = makeSource(input)
    // The cast is resolved when this code is specialized.
    if let just = source as? Just<M.Output>, let more = engine.deliverOnly(just.output) { return more }
    engine.attachInner(source)
    return .none
  }
}
