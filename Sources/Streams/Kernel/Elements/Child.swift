/// The subscriber of a source of an engine. A conforming type decides what happens to a value; this protocol provides
/// the rest.
@usableFromInline
protocol EngineChild: Subscriber {
  associatedtype Output
  associatedtype DownstreamFailure: Error
  var engine: Engine { get }
  var outlet: Outlet<Output, DownstreamFailure> { get }
  /// The slot of the source: 0 if it is the only one.
  var slot: Machine.Slot { get }
}

extension EngineChild {
  @inlinable
  var slot: Machine.Slot { 0 }

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
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let slot: Machine.Slot

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Input, Failure>, slot: Machine.Slot = 0) {
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
