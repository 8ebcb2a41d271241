/// The subscriber of a source of an engine. A conforming type decides what happens to a value; this protocol provides
/// the rest.
@usableFromInline
protocol EngineChild: Subscriber {
  associatedtype Output
  associatedtype DownstreamFailure: Error
  var engine: OldEngine { get }
  var outlet: Outlet<Output, DownstreamFailure> { get }
  /// The slot of the source: 0 if it is the only one.
  var slot: OldMachine.Slot { get }
}

extension EngineChild {
  @inlinable
  var slot: OldMachine.Slot { 0 }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }
}

extension EngineChild where Failure == DownstreamFailure {
  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { outlet.end(slot, with: completion, through: engine) }
}

/// The subscriber of a source whose values are forwarded unchanged.
@usableFromInline @frozen
struct Child<Input, Failure: Error>: EngineChild {
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let slot: OldMachine.Slot

  @inlinable
  init(_ engine: OldEngine, _ outlet: Outlet<Input, Failure>, slot: OldMachine.Slot = 0) {
    self.engine = engine
    self.outlet = outlet
    self.slot = slot
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.send(input, from: slot, through: engine)
    return .none
  }
}
