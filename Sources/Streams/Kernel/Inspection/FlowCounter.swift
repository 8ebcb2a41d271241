internal import Synchronization

/// A counter of the values that an operator receives and drops. It's created only while streams are observed, or to hold the
/// operator's name.
@usableFromInline
package class FlowCounter: @unchecked Sendable {
  // Unchecked: all mutable state is atomic, in subclasses too.
  private let arrived = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// The operator's name, if the operator's type states a different one.
  package var name: OperatorName? { nil }
  /// Indicates whether values are counted.
  package var isCounting: Bool { true }
  /// The number of values that the operator holds, and the number that it sends together, or `nil` if it doesn't collect values
  /// or hasn't held any yet.
  package var collected: (held: Int, batch: Int)? { nil }

  package final var arrivals: Int { arrived.load(ordering: .relaxed) }

  /// The number of values that have left, or are about to.
  package final var departures: Int { arrivals - dropped.load(ordering: .relaxed) }

  // An operator's values arrive one at a time, but another thread may read the numbers.
  final func noteArrival() { arrived.store(arrived.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  final func noteDrop() { dropped.store(dropped.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func noteHeld(_ collected: (held: Int, batch: Int)) {}

  final func tell(_ tell: StreamFact.Tell) {
    tell(.arrived, arrivals, nil)
    tell(.sent, departures, nil)
    guard let (held, batch) = collected else { return }
    tell(.held, held, nil)
    tell(.batch, batch, nil)
  }
}

/// The counter of an operator whose type states a different name. Without observation, it only holds the name.
private final class NamedFlowCounter: FlowCounter, @unchecked Sendable {
  private let ownName: OperatorName
  private let counts: Bool

  init(_ name: OperatorName, counts: Bool) {
    ownName = name
    self.counts = counts
  }

  override var name: OperatorName? { ownName }
  override var isCounting: Bool { counts }
}

private final class CollectingFlowCounter: FlowCounter, @unchecked Sendable {
  private let held = Atomic<Int>(0)
  private let batch = Atomic<Int>(0)
  /// The number of values that had arrived when ``held`` was noted. A later value that isn't dropped sends the held ones.
  private let last = Atomic<Int>(0)

  override var collected: (held: Int, batch: Int)? {
    let batch = batch.load(ordering: .relaxed)
    let isCurrent = last.load(ordering: .relaxed) == arrivals
    return batch == 0 ? nil : (isCurrent ? held.load(ordering: .relaxed) : 0, batch)
  }

  override func noteHeld(_ collected: (held: Int, batch: Int)) {
    held.store(collected.held, ordering: .relaxed)
    batch.store(collected.batch, ordering: .relaxed)
    last.store(arrivals, ordering: .relaxed)
  }
}

extension FlowCounter {
  /// Creates a counter for an operator, while streams are observed.
  static func make(_ name: OperatorName?, collects: Bool = false) -> FlowCounter {
    if let name { return NamedFlowCounter(name, counts: true) }
    return collects ? CollectingFlowCounter() : FlowCounter()
  }
}

extension FlowCounter {
  /// Returns a predicate and its counter. If streams are observed, the predicate counts the values that it receives and
  /// excludes.
  @usableFromInline @inline(never)
  static func counting<Input>(
    _ isIncluded: @escaping (Input) -> Bool, _ name: OperatorName?
  ) -> (predicate: (Input) -> Bool, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else {
      return (isIncluded, name.map { NamedFlowCounter($0, counts: false) })
    }
    let counter = FlowCounter.make(name)
    let counting = { (input: Input) in
      counter.noteArrival()
      let isPassed = isIncluded(input)
      if !isPassed { counter.noteDrop() }
      return isPassed
    }
    return (counting, counter)
  }

  /// Returns a closure and its counter. If streams are observed, the closure counts the values that it receives and its `nil`
  /// results.
  @usableFromInline @inline(never)
  package static func counting<Input, Output>(
    _ transform: @escaping (Input) -> Output?, _ name: OperatorName?
  ) -> (transform: (Input) -> Output?, counter: FlowCounter?) {
    guard RuntimeFeatures.includes(.observed) else {
      return (transform, name.map { NamedFlowCounter($0, counts: false) })
    }
    let counter = FlowCounter.make(name)
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
  package static func ifObserved() -> FlowCounter? {
    RuntimeFeatures.includes(.observed) ? make(nil, collects: true) : nil
  }

  /// Records the arrival of a value, and the number of values that the operator now holds.
  @usableFromInline @inline(never)
  package func note(isDropped: Bool, _ held: Int, of batch: Int) {
    noteArrival()
    if isDropped { noteDrop() }
    noteHeld((held, batch))
  }
}

/// The link of an operator whose type doesn't state the operator's name.
final class NamedLink: CountedUpstreamLink {
  private let name: OperatorName

  init(_ name: OperatorName) {
    self.name = name
    super.init()
  }

  override func inspectContents(_ state: State, _ tell: StreamFact.Tell) {
    tell(.linkName, 0, StreamFact.Box(name.text))
  }
}

/// The link of an operator whose values are counted, because streams are observed.
final class ObservedLink: CountedUpstreamLink {
  let counter: FlowCounter

  init(_ name: OperatorName?, collects: Bool) {
    counter = .make(name, collects: collects)
    super.init()
  }

  override func connect(_ subscription: any Subscription) -> Bool {
    connect(subscription) { _ in State.observed }
  }

  override func inspectContents(_ state: State, _ tell: StreamFact.Tell) {
    if let name = counter.name { tell(.linkName, 0, StreamFact.Box(name.text)) }
    counter.tell(tell)
  }
}
