/// The part of an operator that decides: a plain value, used only under the lock of its ``Engine``. It has sources: one, or
/// several that are alike. Only the machines of broadcasts have none.
///
/// Each event may emit elements, end the stream and ask for actions through a ``Reaction``. By default it does nothing.
///
/// | event | comes |
/// | --- | --- |
/// | ``connected(_:from:_:)``, ``SlotMachine/received(_:from:_:)``, ``sourceEnded(_:_:_:)`` | while the stream is running |
/// | ``requested(_:_:)``, ``delivered(_:_:)``, ``fired(_:_:)``, ``deliveryBegins(_:)`` | until the stream is over |
/// | ``tearDown(_:)`` | when the stream is over |
///
/// A machine that delivers on a scheduler lets elements wait with ``Reaction/store(_:)``, and says with
/// ``Reaction/setReady(_:)`` how many of the first ones may be delivered. Its completion waits for a delivery, or for a timer
/// that calls ``Reaction/setCompletionReady()``.
@usableFromInline
package protocol Machine: ~Copyable {
  /// The type of the elements that the machine emits.
  associatedtype Output
  associatedtype Failure: Error

  /// The time of a scheduler, in machines that need to know when a signal comes.
  associatedtype Time = Void

  /// The name of the operator, as a program calls it: what an inspection prints. It's empty if the machine is a part of the
  /// operator downstream, with which it's inspected.
  var name: String { get }

  /// What is special about the engine.
  static var traits: Gate.Traits { get }

  /// Finds out the time at which a signal comes. Called without the lock, before the event.
  static func time(of signal: Signal, for engine: Engine<Self>) -> Time

  /// Takes note of the time of the event that follows.
  mutating func begins(at time: Time)

  /// Handles the subscription of a source. Returns the demand to request from it, or `nil` to have it cancelled.
  mutating func connected(
    _ subscription: SubscriptionObject, from slot: Int, _ reaction: inout Reaction<Output, Failure>
  ) -> Subscribers.Demand?

  /// Handles the completion of a source.
  mutating func sourceEnded(
    _ slot: Int, _ completion: Subscribers.Completion<Failure>, _ reaction: inout Reaction<Output, Failure>)

  /// Handles a request from downstream, which is part of `reaction.demand` already.
  mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>)

  /// Handles the delivery of an element from the queue.
  mutating func delivered(_ tag: Int, _ reaction: inout Reaction<Output, Failure>)

  /// Handles a timer that has fired. Returns what would have disarmed it, which is released without the lock.
  mutating func fired(_ number: Int, _ reaction: inout Reaction<Output, Failure>) -> TimerObject?

  /// Decides what is ready, because the scheduler runs the delivery for which it was asked.
  mutating func deliveryBegins(_ reaction: inout Reaction<Output, Failure>)

  /// Cancels the sources, because nothing more of them is needed.
  mutating func cancelSources(_ reaction: inout Reaction<Output, Failure>)

  /// Gives up sources, timers and elements, because nothing more is delivered. By default, only sources.
  mutating func tearDown(_ reaction: inout Reaction<Output, Failure>)

  /// Asks the scheduler to run work. Called without the lock.
  static func schedule(_ work: ScheduledWork, for engine: Engine<Self>)

  /// Handles a cancellation, if this is a branch. Called without the lock.
  static func cancel(_ engine: Engine<Self>)

  /// Returns the name of the operator with its parameters, if it requests only as many elements of a source as it has room
  /// for, without a ``Bound``.
  func limitingOperator(of slot: Int) -> String?

  /// Tells what the machine holds and waits for, its sources first. Called under the lock.
  func inspect(_ tell: StreamFact.Tell)
}

extension Machine where Self: ~Copyable {
  @inlinable package static var traits: Gate.Traits { [] }
  @inlinable package mutating func requested(_ more: Subscribers.Demand, _ reaction: inout Reaction<Output, Failure>) {}
  @inlinable package mutating func delivered(_ tag: Int, _ reaction: inout Reaction<Output, Failure>) {}
  @inlinable package mutating func fired(_ number: Int, _ reaction: inout Reaction<Output, Failure>) -> TimerObject? {
    nil
  }
  @inlinable package mutating func deliveryBegins(_ reaction: inout Reaction<Output, Failure>) {}
  @inlinable package mutating func tearDown(_ reaction: inout Reaction<Output, Failure>) { cancelSources(&reaction) }
  @inlinable package static func schedule(_ work: ScheduledWork, for engine: Engine<Self>) {}
  @inlinable package static func cancel(_ engine: Engine<Self>) {}
  @inlinable package func limitingOperator(of slot: Int) -> String? { nil }
}

extension Machine where Self: ~Copyable, Time == Void {
  @inlinable package static func time(of signal: Signal, for engine: Engine<Self>) {}
  @inlinable package mutating func begins(at time: Void) {}
}

/// What a machine may have to know the time of.
@usableFromInline @frozen
package enum Signal {
  /// A subscription, an element or the completion of a source.
  case subscription, element, completion
  /// A timer that fires.
  case timer
  /// The delivery for which a scheduler was asked.
  case delivery
}

/// A machine that needs only an element's slot to decide what to do with it.
@usableFromInline
package protocol SlotMachine: Machine, ~Copyable {
  associatedtype Input

  /// Handles an element of a source.
  mutating func received(_ input: Input, from slot: Int, _ reaction: inout Reaction<Output, Failure>)
}
