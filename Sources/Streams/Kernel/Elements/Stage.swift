/// The state and logic of an operator with one input. A stage handles each value and may end the stream.
///
/// One stage serves an operator and its `try` variant: its thrown type is `Never` or `any Error`.
@usableFromInline
package protocol Stage<Input, Output> {
  associatedtype Input
  associatedtype Output
  associatedtype Thrown: Error

  static var name: String { get }

  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Output>

  /// Returns a last value to send when upstream finishes. There's demand for it: the stage has swallowed a value since
  /// it last sent one.
  mutating func rest() -> Output?

  static var collects: Bool { get }

  /// The number of values that the stage holds, and the number that it sends together, if it collects values. Read only while
  /// streams are observed.
  var collected: (held: Int, batch: Int)? { get }

  /// The number of values that the stage itself requests when upstream is connected, in addition to downstream's demand.
  var ownDemand: Subscribers.Demand { get }

  /// Indicates whether ``receive(_:)`` runs user code, as it usually does.
  static var callsOut: Bool { get }

  /// The context of the stage's output, if the stage keeps outputs beyond a call to ``receive(_:)``.
  var keptContext: ContextSnapshot? { get }
}

extension Stage {
  @inlinable
  package mutating func rest() -> Output? { nil }

  @inlinable
  package static var collects: Bool { false }

  @inlinable
  package var collected: (held: Int, batch: Int)? { nil }

  @inlinable
  package var ownDemand: Subscribers.Demand { .none }

  @inlinable
  package static var callsOut: Bool { true }

  @inlinable
  package var keptContext: ContextSnapshot? { nil }
}

/// A stage's decision about a value.
@usableFromInline
package enum Verdict<Output> {
  /// The value is forwarded. If it's the last, the stream finishes.
  case emit(Output, isLast: Bool = false)
  /// The value isn't forwarded, and its demand is requested again.
  case skip
  /// The value isn't forwarded. The stage requested it itself, so its demand isn't requested again.
  case consume
  case finish
}

/// A subscriber that runs a stage.
///
/// `stage` belongs to the value path, which is serial. `link` may be used from any thread. If a publisher breaks the contract
/// and sends a value while a closure of the stage is handling another value, the program stops, because both would access the
/// stage.
@usableFromInline @_fixed_layout
package final class StageSubscriber<S: Stage, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Input == S.Output {
  @usableFromInline package let downstream: Downstream
  @usableFromInline package let link: CountedUpstreamLink
  // Exclusive: these belong to the value path. `isBusy` checks that no value arrives while a closure of the stage runs.
  @usableFromInline @exclusivity(unchecked) package var stage: S
  @usableFromInline @exclusivity(unchecked) package var isBusy = false

  /// Creates the subscriber. Downstream's failure type is the type of the thrown errors or, if the stage doesn't throw,
  /// upstream's. The public publishers don't allow other combinations. Pass the name by which a program calls the operator if
  /// that differs from the stage's name.
  @inlinable @inline(__always)
  package init(_ stage: S, _ downstream: Downstream, as name: OperatorName? = nil) {
    self.stage = stage
    link = makeCountedUpstreamLink(name, collects: S.collects)
    self.downstream = downstream
  }

  @inlinable
  package var _upstreamLink: SubscriberLink? { SubscriberLink(link) }

  @inlinable
  package func receive(subscription: any Subscription) {
    guard link.connect(subscription) else { return }
    if link.isSerial { downstream.declareUpstreamSerial() }
    let ownDemand = stage.ownDemand
    downstream.receive(subscription: link)
    if ownDemand != .none, link.isForwarding { subscription.request(ownDemand) }
  }

  @inlinable
  package func receive(_ input: S.Input) -> Subscribers.Demand {
    guard link.accepts() else { return .none }
    var more = Subscribers.Demand.none
    do throws(S.Thrown) {
      switch try transform(input) {
      case .emit(let output, let isLast):
        more = send(output)
        if !isLast { return more }
        more = .none
        fallthrough
      case .finish: end(.finished)
      case .skip:
        more = .max(1)
        fallthrough
      case .consume: if link.isObserved { link.noteDrop(stage.collected) }
      }
    } catch {
      end(.failure(converted(error)))
    }
    return more
  }

  /// Sends an output, under the context that the stage has kept for it, if any.
  @inlinable @inline(__always)
  package func send(_ output: S.Output) -> Subscribers.Demand {
    guard let context = stage.keptContext else { return downstream.receive(output) }
    var more = Subscribers.Demand.none
    context.run { more = downstream.receive(output) }
    return more
  }

  @inlinable @inline(__always)
  package func transform(_ input: S.Input) throws(S.Thrown) -> Verdict<S.Output> {
    guard S.callsOut else { return try stage.receive(input) }
    if isBusy { stopAtOverlap() }
    isBusy = true
    defer { isBusy = false }
    return try stage.receive(input)
  }

  /// Cancels upstream and ends the stream, unless downstream has cancelled it.
  @inlinable @inline(never) @_optimize(size)
  package func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard link.isForwarding else { return }
    link.cancel()
    downstream.receive(completion: completion)
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    if case .finished = completion, link.isForwarding, let rest = stage.rest() { _ = send(rest) }
    if link.finish() { downstream.receive(completion: completion.mapError(converted)) }
  }
}

/// Converts an error to a stream's failure type, which is either the error's own type or `any Error`. The compiler knows which
/// one where this function is specialized. A conversion closure would cost an object for each subscription.
@inlinable @inline(__always)
package func converted<Original: Error, Failure: Error>(_ error: Original) -> Failure {
  // A stream that can't fail doesn't need code for errors.
  if Failure.self == Never.self { stopAtForeignError() }
  guard let converted = error as? Failure else { stopAtForeignError() }
  return converted
}

/// Stops the program at a point that the kernel's types make unreachable.
@usableFromInline @inline(never)
package func stopAtForeignError() -> Never {
  stopProgram("Streams received an error that the stream cannot fail with. This is a bug in Streams; please report it.")
}
