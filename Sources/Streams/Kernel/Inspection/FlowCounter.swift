internal import Synchronization

/// Counts the values that arrive at an operator, and those that it drops. Made only while streams are observed.
@usableFromInline
package final class FlowCounter: Sendable {
  private let arrived = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// The number of values that have arrived.
  package var arrivals: Int { arrived.load(ordering: .relaxed) }

  /// The number of values that have left, or are about to.
  package var departures: Int { arrivals - dropped.load(ordering: .relaxed) }

  // The values of an operator are serial. Another thread may read the numbers.
  func noteArrival() { arrived.store(arrived.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func noteDrop() { dropped.store(dropped.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func tell(_ tell: StreamFact.Tell) {
    tell(.arrived, arrivals, nil)
    tell(.sent, departures, nil)
  }
}

extension FlowCounter {
  /// Returns a predicate that counts the values it's called with and those it excludes, and its counter, if streams are observed.
  @usableFromInline @inline(never)
  static func counting<Input>(
    _ isIncluded: @escaping (Input) -> Bool
  ) -> (predicate: (Input) -> Bool, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else { return (isIncluded, nil) }
    let counter = FlowCounter()
    let counting = { (input: Input) in
      counter.noteArrival()
      let isPassed = isIncluded(input)
      if !isPassed { counter.noteDrop() }
      return isPassed
    }
    return (counting, counter)
  }

  /// Returns a closure that counts the values it's called with and the results that are `nil`, and its counter, if streams are
  /// observed.
  @usableFromInline @inline(never)
  package static func counting<Input, Output>(
    _ transform: @escaping (Input) -> Output?
  ) -> (transform: (Input) -> Output?, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else { return (transform, nil) }
    let counter = FlowCounter()
    let counting = { (input: Input) -> Output? in
      counter.noteArrival()
      let output = transform(input)
      if output == nil { counter.noteDrop() }
      return output
    }
    return (counting, counter)
  }
}

/// The link of an operator whose values are counted, because streams are observed.
final class ObservedLink: CountedUpstreamLink {
  let counter = FlowCounter()

  override func connect(_ subscription: any Subscription) -> Bool {
    connect(subscription) { _ in State.observed }
  }

  override func inspectContents(_ state: State, _ tell: StreamFact.Tell) { counter.tell(tell) }
}
