/// The common part of operators in which one source follows another: the engine, the outlet, and the closure that
/// attaches the next source.
///
/// The first source is not retained: a publisher that is an object must not be kept alive by the subscriptions to it.
@usableFromInline @_fixed_layout
final class Following<Output, Failure: Error> {
  @usableFromInline typealias ReceiveCompletion<SourceFailure: Error> = (
    Following, Subscribers.Completion<SourceFailure>
  ) -> Void
  @usableFromInline let engine: OldEngine
  @usableFromInline let outlet: Outlet<Output, Failure>
  @usableFromInline let attachNext: (Following, OldMachine.Slot) -> Void

  /// Subscribes to the first source; `attachNext` attaches those that follow.
  @inlinable @inline(__always)
  static func begin<Source: Publisher, Downstream: Subscriber>(
    _ downstream: Downstream, _ engine: OldEngine, with source: Source,
    _ receiveCompletion: @escaping ReceiveCompletion<Source.Failure>,
    attachNext: @escaping (Following, OldMachine.Slot) -> Void
  ) where Source.Output == Output, Downstream.Input == Output, Downstream.Failure == Failure {
    let following = Following(engine, engine.makeOutlet(for: downstream), attachNext)
    let child = FollowedChild(following, slot: 0, receiveCompletion)
    engine.beginAttaching()
    if engine.open() != nil { engine.nest(source, child) }
    following.endAttaching()
  }

  /// Attaches the sources that follow because one has ended while it was being attached.
  @inlinable @inline(never)
  func endAttaching() { engine.endAttaching { attachNext(self, $0) } }

  // Never inlined: compiled once for each element type.
  @inlinable @inline(never)
  init(
    _ engine: OldEngine, _ outlet: Outlet<Output, Failure>,
    _ attachNext: @escaping (Following, OldMachine.Slot) -> Void
  ) {
    self.engine = engine
    self.attachNext = attachNext
    self.outlet = outlet
  }

  /// Attaches a further source, whose end may be followed by another source.
  @inlinable @inline(__always)
  func attach<Source: Publisher>(
    _ source: Source, to slot: OldMachine.Slot, _ receiveCompletion: @escaping ReceiveCompletion<Source.Failure>
  ) where Source.Output == Output {
    engine.attachNew(source, FollowedChild(self, slot: slot, receiveCompletion))
  }

  /// Attaches the last source.
  @inlinable @inline(__always)
  func attachLast<Source: Publisher>(_ source: Source, to slot: OldMachine.Slot)
  where Source.Output == Output, Source.Failure == Failure {
    engine.attachNew(source, Child(engine, outlet, slot: slot))
  }

  /// Ends the slot; `store` keeps the content of the completion.
  @inlinable @inline(never)
  func end(_ slot: OldMachine.Slot, failed: Bool, store: () -> Void) {
    engine.sourceEnded(slot, failed: failed, store: store, attach: { attachNext(self, $0) })
  }

  /// Fails the stream when there is no source that could follow.
  @inlinable @inline(never)
  func fail(_ slot: OldMachine.Slot, with error: Failure) {
    engine.sourceEnded(slot, failed: true, store: { outlet.completion = .failure(error) })
  }
}

/// The subscriber of a source that another one may follow: passes its completion to a closure.
@usableFromInline @frozen
struct FollowedChild<Failure: Error, Input, DownstreamFailure: Error>: EngineChild {
  @usableFromInline let following: Following<Input, DownstreamFailure>
  @usableFromInline let slot: OldMachine.Slot
  @usableFromInline let receiveCompletion: Following<Input, DownstreamFailure>.ReceiveCompletion<Failure>

  @inlinable
  init(
    _ following: Following<Input, DownstreamFailure>, slot: OldMachine.Slot,
    _ receiveCompletion: @escaping Following<Input, DownstreamFailure>.ReceiveCompletion<Failure>
  ) {
    self.following = following
    self.slot = slot
    self.receiveCompletion = receiveCompletion
  }

  @inlinable
  var engine: OldEngine { following.engine }

  @inlinable
  var outlet: Outlet<Input, DownstreamFailure> { following.outlet }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    outlet.send(input, from: slot, through: engine)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { receiveCompletion(following, completion) }
}

extension OldEngine {
  /// Creates an engine whose sources follow one another up to the given number of times: after a failure, or else after
  /// a normal end.
  @usableFromInline
  static func succession(followsFailure: Bool, successors: Int) -> OldEngine {
    OldEngine(SuccessionMachine(followsFailure: followsFailure, successors: successors))
  }
}
