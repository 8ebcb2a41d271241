/// What operators share that let one source follow another: the engine, the outlet, and what attaches the next source.
///
/// The first source is not kept: a publisher that is an object must not live as long as those that are attached to it.
@usableFromInline @_fixed_layout
final class Following<Downstream: Subscriber> {
  @usableFromInline typealias ReceiveCompletion<Failure: Error> = (Following, Subscribers.Completion<Failure>) -> Void
  @usableFromInline let engine: Engine
  @usableFromInline let outlet: Outlet<Downstream>
  @usableFromInline let attachNext: (Following, Int) -> Void

  /// Begins with a source; `attachNext` attaches those that follow.
  @inlinable @inline(__always)
  static func begin<Source: Publisher>(
    _ downstream: Downstream, _ engine: Engine, with source: Source,
    _ receiveCompletion: @escaping ReceiveCompletion<Source.Failure>,
    attachNext: @escaping (Following, Int) -> Void
  ) where Source.Output == Downstream.Input {
    let following = Following(downstream, engine, attachNext)
    engine.attachSources { slot in
      if slot > 0 { return attachNext(following, slot) }
      following.attach(source, to: slot, receiveCompletion)
    }
  }

  @inlinable
  init(_ downstream: Downstream, _ engine: Engine, _ attachNext: @escaping (Following, Int) -> Void) {
    self.engine = engine
    self.attachNext = attachNext
    outlet = Outlet(downstream, in: engine)
  }

  /// Attaches a source whose end may be followed by another source.
  @inlinable @inline(__always)
  func attach<Source: Publisher>(
    _ source: Source, to slot: Int, _ receiveCompletion: @escaping ReceiveCompletion<Source.Failure>
  ) where Source.Output == Downstream.Input {
    engine.attach(source, FollowedChild(self, slot: slot, receiveCompletion))
  }

  /// Attaches the last source.
  @inlinable @inline(__always)
  func attachLast<Source: Publisher>(_ source: Source, to slot: Int)
  where Source.Output == Downstream.Input, Source.Failure == Downstream.Failure {
    engine.attach(source, Child(engine, outlet, slot: slot))
  }

  /// Ends the slot; `store` keeps what the completion said.
  @inlinable
  func end(_ slot: Int, failed: Bool, store: () -> Void) {
    engine.end(slot, failed: failed, store: store, attach: { attachNext(self, $0) })
  }

  /// Ends the stream, when there is no source that could follow.
  @inlinable
  func fail(_ slot: Int, with error: Downstream.Failure) {
    engine.end(slot, failed: true, store: { outlet.completion = .failure(error) })
  }
}

/// The subscriber of a source that may be followed by another.
@usableFromInline @frozen
struct FollowedChild<Failure: Error, Downstream: Subscriber>: Subscriber {
  @usableFromInline let following: Following<Downstream>
  @usableFromInline let slot: Int
  @usableFromInline let receiveCompletion: Following<Downstream>.ReceiveCompletion<Failure>

  @inlinable
  init(
    _ following: Following<Downstream>, slot: Int,
    _ receiveCompletion: @escaping Following<Downstream>.ReceiveCompletion<Failure>
  ) {
    self.following = following
    self.slot = slot
    self.receiveCompletion = receiveCompletion
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { following.engine.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { following.engine.connect(subscription, to: slot) }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    following.outlet.send(input, from: slot, through: following.engine)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { receiveCompletion(following, completion) }
}

extension Engine {
  /// An engine whose sources follow one another so many times: after a failure, or else after a normal end.
  @usableFromInline
  static func succession(followsFailure: Bool, successors: Int) -> Engine {
    Engine(SuccessionMachine(followsFailure: followsFailure, successors: successors))
  }
}
