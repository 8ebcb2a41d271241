/// What an operator with one input does with each value: it may keep state, and may end the stream.
///
/// One stage serves an operator and its `try` twin: what it throws is `Never` or `any Error`.
@usableFromInline
protocol Stage<Input, Output> {
  associatedtype Input
  associatedtype Output
  associatedtype Thrown: Error

  mutating func receive(_ input: Input) throws(Thrown) -> Verdict<Output>

  /// Returns what is still to be sent when upstream finishes. Downstream has asked for it: the stage has swallowed a value
  /// since it last sent something.
  mutating func rest() -> Output?

  /// Whether receiving runs code of the user, which is the rule.
  static var callsOut: Bool { get }
}

extension Stage {
  @inlinable
  mutating func rest() -> Output? { nil }

  @inlinable
  static var callsOut: Bool { true }
}

/// What becomes of a value.
@usableFromInline
enum Verdict<Output> {
  /// This is passed on.
  case emit(Output)
  /// Nothing is passed on; its demand is given back.
  case skip
  /// This is passed on, and the stream finishes.
  case emitLast(Output)
  /// The stream finishes.
  case finish
}

/// Runs a stage.
///
/// `stage` belongs to the value path, which is serial; `inlet` may be used from any thread. That is a gate, which a subject takes
/// for the subscription. A publisher that breaks the rule and sends a value while a closure of the stage runs with another would
/// use it twice at a time: that stops the program.
@usableFromInline @_fixed_layout
final class StageSubscriber<S: Stage, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Input == S.Output {
  @usableFromInline let downstream: Downstream
  @usableFromInline let inlet = Gate()
  // Exclusive: belong to the value path; that no value comes while a closure of the stage runs is checked with `isBusy`.
  @usableFromInline @exclusivity(unchecked) var stage: S
  @usableFromInline @exclusivity(unchecked) var isBusy = false

  /// Makes the subscriber, where errors are those of downstream, or none are thrown and those of upstream are; the public
  /// publishers have no others.
  @inlinable
  init(_ stage: S, _ downstream: Downstream) {
    self.stage = stage
    self.downstream = downstream
  }

  @inlinable
  var _inlet: SubscriberInlet? { SubscriberInlet(inlet) }

  @inlinable
  func receive(subscription: any Subscription) {
    guard inlet.connect(subscription) else { return }
    if inlet.isDirect { downstream.vouchForUpstream() }
    downstream.receive(subscription: inlet)
  }

  @inlinable
  func receive(_ input: S.Input) -> Subscribers.Demand {
    guard inlet.isConnected else { return .none }
    do throws(S.Thrown) {
      switch try transform(input) {
      case .emit(let output): return downstream.receive(output)
      case .skip: return .max(1)
      case .emitLast(let output):
        _ = downstream.receive(output)
        end(.finished)
      case .finish: end(.finished)
      }
    } catch {
      end(.failure(converted(error)))
    }
    return .none
  }

  @inlinable @inline(__always)
  func transform(_ input: S.Input) throws(S.Thrown) -> Verdict<S.Output> {
    guard S.callsOut else { return try stage.receive(input) }
    if isBusy { stopAtOverlap() }
    isBusy = true
    defer { isBusy = false }
    return try stage.receive(input)
  }

  /// Cancels upstream and ends the stream, unless downstream has cancelled it.
  @inlinable
  func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard inlet.isConnected else { return }
    inlet.cancel()
    downstream.receive(completion: completion)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    if case .finished = completion, inlet.isConnected, let rest = stage.rest() { _ = downstream.receive(rest) }
    if inlet.finish() { downstream.receive(completion: completion.mapError(converted)) }
  }
}

/// The error as one of the type that a stream fails with: the same type, or `any Error`. Which it is, the compiler knows where
/// this is specialised; a closure for each would be an object for each subscription.
@inlinable @inline(__always)
func converted<Original: Error, Failure: Error>(_ error: Original) -> Failure {
  guard let converted = error as? Failure else { stopAtForeignError() }
  return converted
}

/// Stands where the types of the kernel let no error come.
@usableFromInline @inline(never)
func stopAtForeignError() -> Never {
  stopProgram("Streams met an error that the stream cannot fail with, which is a bug of Streams. Please report it.")
}
