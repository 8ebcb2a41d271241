/// The state and logic of an operator that consumes all values and sends at most one.
@usableFromInline
package protocol Reduction<Input, Output> {
  associatedtype Input
  associatedtype Output
  associatedtype Thrown: Error

  static var name: String { get }

  /// Consumes a value. Returns true when the result is known and no more values are needed.
  mutating func receive(_ input: Input) throws(Thrown) -> Bool

  /// Indicates whether there's a result. Without one, the stream finishes without a value and without waiting for
  /// demand.
  var hasResult: Bool { get }

  /// Returns the result, or `nil` if there's none.
  mutating func result() -> Output?

  /// The context of the result, if the result is a kept value.
  var keptContext: ContextSnapshot? { get }
}

extension Reduction {
  @inlinable
  package var hasResult: Bool { true }

  @inlinable
  package var keptContext: ContextSnapshot? { nil }
}

/// A subscriber that runs a reduction: it requests unlimited demand, and delivers the result once it's known and has been
/// requested.
///
/// `reduction` and `isDone` belong to the value path until `shot` is ready, and from then on to the delivery of the result. If
/// a publisher breaks the contract and sends a value while a closure of the reduction is handling another value, the program
/// stops.
@usableFromInline @_fixed_layout
package final class Reducer<R: Reduction, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Input == R.Output {
  @usableFromInline package let downstream: Downstream
  // Exclusive: these belong to the value path. `isBusy` checks that no value arrives while a closure of the reduction runs.
  @usableFromInline @exclusivity(unchecked) package var reduction: R
  @usableFromInline @exclusivity(unchecked) package var isBusy = false
  @usableFromInline @exclusivity(unchecked) package var isDone = false
  @usableFromInline package let shot = SingleValueSource()

  /// Creates the subscriber. Downstream's failure type is the type of the thrown errors or, if the reduction doesn't throw,
  /// upstream's. The public publishers don't allow other combinations.
  @inlinable
  package init(_ reduction: R, _ downstream: Downstream) {
    self.reduction = reduction
    self.downstream = downstream
  }

  @inlinable
  package func receive(subscription: any Subscription) {
    guard shot.connect(subscription, of: self, { self.deliver($0) }) else { return }
    downstream.receive(subscription: shot)
    if shot.isActive { subscription.request(.unlimited) }
  }

  @inlinable
  package func receive(_ input: R.Input) -> Subscribers.Demand {
    if isDone { return .none }
    do throws(R.Thrown) {
      if try decides(input) {
        isDone = true
        shot.becomeReady(cancelsUpstream: true)
      }
    } catch {
      isDone = true
      end(.failure(converted(error)), cancelsUpstream: true)
    }
    return .none
  }

  @inlinable @inline(__always)
  package func decides(_ input: R.Input) throws(R.Thrown) -> Bool {
    if isBusy { stopAtOverlap() }
    isBusy = true
    defer { isBusy = false }
    return try reduction.receive(input)
  }

  @inlinable
  package func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    if isDone { return }
    isDone = true
    switch completion {
    case .finished: shot.becomeReady(waitsForDemand: reduction.hasResult)
    case .failure(let error): end(.failure(converted(error)), cancelsUpstream: false)
    }
  }

  @inlinable
  package func end(_ completion: Subscribers.Completion<Downstream.Failure>, cancelsUpstream: Bool) {
    guard shot.finish(cancelsUpstream: cancelsUpstream) else { return }
    downstream.receive(completion: completion)
  }

  @inlinable
  package func deliver(_ shot: SingleValueSource) {
    if let output = reduction.result() { ContextSnapshot.run(reduction.keptContext) { _ = downstream.receive(output) } }
    if shot.finish() { downstream.receive(completion: .finished) }
  }
}
