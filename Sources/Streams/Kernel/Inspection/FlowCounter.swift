internal import Synchronization

/// Counts the values that arrive at an operator, and those that it drops. Made only while streams are observed, or for a name.
@usableFromInline
package final class FlowCounter: Sendable {
  private let arrived = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let held = Atomic<Int>(0)
  private let batch = Atomic<Int>(0)
  /// The name of the operator, if its type states another one.
  package let name: OperatorName?
  /// Indicates whether values are counted.
  package let isCounting: Bool

  init(_ name: OperatorName? = nil, isCounting: Bool = true) {
    self.name = name
    self.isCounting = isCounting
  }

  /// The number of values that have arrived.
  package var arrivals: Int { arrived.load(ordering: .relaxed) }

  /// The number of values that have left, or are about to.
  package var departures: Int { arrivals - dropped.load(ordering: .relaxed) }

  /// The number of values that the operator holds, and the number that it sends at once; `nil` if it doesn't collect values, or
  /// hasn't held any yet.
  package var collected: (held: Int, batch: Int)? {
    let batch = batch.load(ordering: .relaxed)
    return batch == 0 ? nil : (held.load(ordering: .relaxed), batch)
  }

  // The values of an operator are serial. Another thread may read the numbers.
  func noteArrival() {
    arrived.store(arrived.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    // A value that isn't dropped sends those that are held.
    held.store(0, ordering: .relaxed)
  }

  func noteDrop() { dropped.store(dropped.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func noteHeld(_ collected: (held: Int, batch: Int)) {
    held.store(collected.held, ordering: .relaxed)
    batch.store(collected.batch, ordering: .relaxed)
  }

  func tell(_ tell: StreamFact.Tell) {
    tell(.arrived, arrivals, nil)
    tell(.sent, departures, nil)
    guard let (held, batch) = collected else { return }
    tell(.held, held, nil)
    tell(.batch, batch, nil)
  }
}

extension FlowCounter {
  /// Returns a predicate that counts the values it's called with and those it excludes, and its counter, if streams are observed.
  @usableFromInline @inline(never)
  static func counting<Input>(
    _ isIncluded: @escaping (Input) -> Bool, _ name: OperatorName?
  ) -> (predicate: (Input) -> Bool, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else {
      return (isIncluded, name.map { FlowCounter($0, isCounting: false) })
    }
    let counter = FlowCounter(name)
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
    _ transform: @escaping (Input) -> Output?, _ name: OperatorName?
  ) -> (transform: (Input) -> Output?, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else {
      return (transform, name.map { FlowCounter($0, isCounting: false) })
    }
    let counter = FlowCounter(name)
    let counting = { (input: Input) -> Output? in
      counter.noteArrival()
      let output = transform(input)
      if output == nil { counter.noteDrop() }
      return output
    }
    return (counting, counter)
  }
}

extension FlowCounter {
  /// Returns a counter for an operator that collects values, if streams are observed.
  @usableFromInline @inline(never)
  package static func ifObserved() -> FlowCounter? { RuntimeFeatures.includes(.observed) ? FlowCounter() : nil }

  /// Notes that a value has arrived, and what the operator holds now.
  @usableFromInline @inline(never)
  package func note(isDropped: Bool, _ held: Int, of batch: Int) {
    noteArrival()
    if isDropped { noteDrop() }
    noteHeld((held, batch))
  }
}

/// The link of an operator whose name its type doesn't state.
class NamedLink: CountedUpstreamLink {
  private let name: OperatorName?

  init(_ name: OperatorName?) {
    self.name = name
    super.init()
  }

  override func inspectContents(_ state: State, _ tell: StreamFact.Tell) {
    if let name { tell(.linkName, 0, StreamFact.Box(name.text)) }
  }
}

/// The link of an operator whose values are counted, because streams are observed.
final class ObservedLink: NamedLink {
  let counter = FlowCounter()

  override func connect(_ subscription: any Subscription) -> Bool {
    connect(subscription) { _ in State.observed }
  }

  override func inspectContents(_ state: State, _ tell: StreamFact.Tell) {
    super.inspectContents(state, tell)
    counter.tell(tell)
  }
}
