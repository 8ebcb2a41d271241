/// The subscriber of one of several sources of an engine, for elements that are forwarded unchanged.
@usableFromInline @frozen
struct Child<Input, Failure: Error>: Subscriber {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Input, Failure>
  @usableFromInline let slot: Int

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Input, Failure>, slot: Int) {
    self.engine = engine
    self.outlet = outlet
    self.slot = slot
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.send(input, from: slot, through: engine)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    outlet.end(slot, with: completion, through: engine)
  }
}

/// The subscriber of the only source of an engine. A conforming type decides what happens to an element; this protocol
/// provides the rest.
@usableFromInline
protocol OnlyChild: Subscriber {
  associatedtype Output
  var engine: Engine { get }
  var outlet: Outlet<Output, Failure> { get }
}

extension OnlyChild {
  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: 0) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { outlet.end(0, with: completion, through: engine) }
}
