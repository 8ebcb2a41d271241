/// What an operator does that takes everything in and sends at most one value.
@usableFromInline
protocol Reduction<Input, Output> {
  associatedtype Input
  associatedtype Output
  associatedtype Thrown: Error

  /// Takes a value in; returns true when the result is known and nothing more needs to come.
  mutating func receive(_ input: Input) throws(Thrown) -> Bool

  /// Whether there is a result; if not, the stream finishes without a value, and without being asked for one.
  var hasResult: Bool { get }

  /// The result; `nil` when there is none.
  mutating func result() -> Output?
}

extension Reduction {
  @inlinable
  var hasResult: Bool { true }
}

/// Runs a reduction: asks for everything, and delivers the result once it is known and asked for.
///
/// `reduction` and `isDone` belong to the value path until the shot is ready, and to its delivery from then on. A publisher that
/// breaks the rule and sends a value while a closure of the reduction runs with another stops the program.
@usableFromInline @_fixed_layout
final class Reducer<R: Reduction, UpstreamFailure: Error, Downstream: Subscriber>: Subscriber
where Downstream.Input == R.Output {
  @usableFromInline let downstream: Downstream
  // Exclusive: belong to the value path; that no value comes while a closure of the reduction runs is checked with `isBusy`.
  @usableFromInline @exclusivity(unchecked) var reduction: R
  @usableFromInline @exclusivity(unchecked) var isBusy = false
  @usableFromInline @exclusivity(unchecked) var isDone = false
  @usableFromInline let shot = OneShot(isReady: false)

  /// Makes the subscriber, where errors are those of downstream, or none are thrown and those of upstream are; the public
  /// publishers have no others.
  @inlinable
  init(_ reduction: R, _ downstream: Downstream) {
    self.reduction = reduction
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard shot.connect(subscription, { self.deliver($0) }) else { return }
    downstream.receive(subscription: shot)
    if shot.isActive { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: R.Input) -> Subscribers.Demand {
    if isDone { return .none }
    do throws(R.Thrown) {
      if try isEnough(input) {
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
  func isEnough(_ input: R.Input) throws(R.Thrown) -> Bool {
    if isBusy { stopAtOverlap() }
    isBusy = true
    defer { isBusy = false }
    return try reduction.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<UpstreamFailure>) {
    if isDone { return }
    isDone = true
    switch completion {
    case .finished: shot.becomeReady(waitsForDemand: reduction.hasResult)
    case .failure(let error): end(.failure(converted(error)), cancelsUpstream: false)
    }
  }

  @inlinable
  func end(_ completion: Subscribers.Completion<Downstream.Failure>, cancelsUpstream: Bool) {
    guard shot.finish(cancelsUpstream: cancelsUpstream) else { return }
    downstream.receive(completion: completion)
  }

  @inlinable
  func deliver(_ shot: OneShot) {
    if let output = reduction.result() { _ = downstream.receive(output) }
    if shot.finish() { downstream.receive(completion: .finished) }
  }
}
