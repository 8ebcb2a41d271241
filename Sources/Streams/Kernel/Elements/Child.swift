/// The subscriber of one of several sources of an engine, when the element goes on as it is.
@usableFromInline @frozen
struct Child<Downstream: Subscriber>: Subscriber {
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Downstream>
  @usableFromInline let slot: Int

  @inlinable
  init(_ engine: Engine, _ outlet: Outlet<Downstream>, slot: Int) {
    self.engine = engine
    self.outlet = outlet
    self.slot = slot
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: slot) }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    outlet.send(input, from: slot, through: engine)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    outlet.end(slot, with: completion, through: engine)
  }
}

/// The subscriber of the only source of an engine. An operator says what becomes of an element; the rest is here.
@usableFromInline
protocol OnlyChild: Subscriber {
  associatedtype Downstream: Subscriber
  var engine: Engine { get }
  var outlet: Outlet<Downstream> { get }
}

extension OnlyChild {
  @inlinable
  var combineIdentifier: CombineIdentifier { engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { engine.connect(subscription, to: 0) }
}

extension OnlyChild where Failure == Downstream.Failure {
  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { outlet.end(0, with: completion, through: engine) }
}
