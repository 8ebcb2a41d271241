internal import Foundation
public import StreamSchedulers
internal import Streams

/// The result of exploring all orders.
///
/// ```swift
/// let exploration = exploreAll { order in
///   let scheduler = DispatchQueue.test(order: order)
///   #expect(scheduler.pendingActions.isEmpty)
/// }
/// #expect(exploration.isComplete)
/// ```
public struct Exploration: Sendable {
  /// The number of runs, excluding those that shrink a failing order.
  public let runs: Int

  /// Indicates whether all orders were tried or a failure was found.
  public let isComplete: Bool

  /// The first failure, if there was one.
  public let failure: ExploredFailure?
}

/// Runs a closure many times, with the scheduled work in different orders, and reports the first run that fails.
///
/// The first run uses the order in which the work was scheduled. The other runs alternate between shuffled and
/// prioritized orders, with seeds that count up from `seed`. A run fails if it throws, if an issue is reported in it,
/// for example by ``Recorder/expect(_:error:fileID:filePath:line:column:)``, or if an expectation of Swift Testing
/// fails in it. A comment on such a failure identifies the run. Assertions of XCTest aren't detected: use `try
/// XCTUnwrap` there, or throw.
///
/// ```swift
/// explore(runs: 200) { order in
///   let scheduler = DispatchQueue.test(order: order)
///   scheduler.withVirtualWorld {
///     let model = SearchModel(clock: scheduler.clock)
///     model.query = "s"
///     model.query = "st"
///     scheduler.run()
///     #expect(model.results == ["ST"])
///   }
/// }
/// ```
///
/// **Which orders.** Shuffled orders find bugs that need tasks to alternate. Prioritized orders find bugs that need one
/// task to overtake another. The table shows how many runs it takes to find a planted bug: the median of 50 attempts,
/// each stopped after 500 runs. The second column is the number of ordering constraints that must be met.
///
/// | planted bug | constraints | shuffled | prioritized | in turn |
/// | --- | --- | --- | --- | --- |
/// | used before it's created, 3 tasks | 1 | over 500 | 3 | 6 |
/// | the last task first, 8 tasks | 1 | over 500 | 15 | 30 |
/// | check, then act, 4 tasks | 2 | over 500 | 35 | 70 |
/// | two withdrawals, 5 tasks | 2 | over 500 | 12 | 24 |
/// | half a change, 4 tasks | 3 | 26 | 170 | 29 |
/// | changed and changed back, 3 tasks | 4 | 12 | 384 | 21 |
/// | strictly alternating, 2 tasks | 6 | 24 | 310 | 45 |
///
/// **The smallest order.** After the first run, a failure isn't reported immediately. Up to 200 further runs, which report
/// nothing, shrink its order: they put as much work as possible back into the order of scheduling, as long as the run fails with
/// the same error type or at the same line. The smallest order then runs once more, and that run is reported, along with the
/// choices that differ from the order of scheduling.
///
/// **Repeating a run.** The report contains a string such as `script-z3.1`. If you set the environment variable
/// `STREAMS_ORDER` to this string, only that run takes place. `STREAMS_SEED` selects the shuffled order with that seed.
/// A selected order isn't shrunk. `RunOrder(replaying:)` creates the order from the string.
///
/// - Parameters:
///   - runs: The maximum number of runs, at least one.
///   - seed: The seed of the first shuffled order and of the first prioritized one. Each later pair of orders uses the
///     next number.
///   - body: A closure that runs the code under test, with schedulers that use the given order.
/// - Returns: The first failure, if there was one.
/// - Complexity: O(*n*) calls to the closure, where *n* is the number of runs, and at most 201 more if a run fails.
@discardableResult
public func explore(
  runs: Int = 100, seed: UInt64 = 1,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (RunOrder) throws -> Void
) -> ExploredFailure? {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let environment = ProcessInfo.processInfo.environment
  return explore(exploredOrders(runs: runs, seed: seed, environment: environment, at: location), at: location, body)
}

/// Runs a closure with each of the given orders until a run fails.
func explore(_ orders: [RunOrder], at location: CodeLocation, _ body: (RunOrder) throws -> Void) -> ExploredFailure? {
  let watch = RunWatch()
  return watch.watching {
    for (index, order) in orders.enumerated() {
      // `.fifo` can't be shrunk, and a selected order isn't.
      let failure =
        orders.count == 1 || order == .fifo
        ? watch.failure(ofRun: index + 1, in: order, at: location, body)
        : watch.smallestFailure(
          ofRun: index + 1, in: RunOrder(order.kind, record: ChoiceRecord()), at: location, body)
      if let failure { return failure }
    }
    return nil
  }
}

/// Runs a closure once for every possible order of the scheduled work, and reports the first run that fails.
///
/// Use it for small scenarios: three tasks that each wait twice have hundreds of orders. If there are more orders than the limit,
/// that's reported, too. A run's behavior must depend on nothing but the order.
///
/// ```swift
/// exploreAll { order in
///   let scheduler = DispatchQueue.test(order: order)
///   …
/// }
/// ```
///
/// A failing order is shrunk and can be repeated, as ``explore(runs:seed:fileID:filePath:line:column:_:)`` describes.
///
/// - Parameters:
///   - limit: The maximum number of runs, at least one.
///   - body: A closure that runs the code under test, with schedulers that use the given order.
/// - Returns: The number of runs, whether all orders were tried, and the first failure, if there was one.
/// - Complexity: O(*n*) calls to the closure, where *n* is the number of orders, up to `limit`, and at most 201 more if
///   a run fails.
@discardableResult
public func exploreAll(
  limit: Int = 10_000,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (RunOrder) throws -> Void
) -> Exploration {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let environment = ProcessInfo.processInfo.environment
  return exploreAll(limit: limit, selected: selectedOrder(in: environment, at: location), at: location, body)
}

/// Runs a closure with every order, or only with a selected one.
func exploreAll(
  limit: Int, selected: RunOrder?, at location: CodeLocation, _ body: (RunOrder) throws -> Void
) -> Exploration {
  if let selected {
    let failure = explore([selected], at: location, body)
    return Exploration(runs: 1, isComplete: failure != nil, failure: failure)
  }
  let limit = max(1, limit)
  let watch = RunWatch()
  let exploration = watch.watching {
    var script: [Int] = []
    for run in 1...limit {
      let record = ChoiceRecord()
      let order = RunOrder(.script(script), record: record)
      let failure =
        run == 1
        ? watch.failure(ofRun: run, in: order, at: location, body)
        : watch.smallestFailure(ofRun: run, in: order, at: location, body)
      if let failure { return Exploration(runs: run, isComplete: true, failure: failure) }
      // The next order differs in the last choice that has an untried alternative.
      var choices = record.all
      while let last = choices.last, last.index + 1 >= last.count { choices.removeLast() }
      guard let last = choices.last else { return Exploration(runs: run, isComplete: true, failure: nil) }
      script = choices.dropLast().map(\.index) + [last.index + 1]
    }
    return Exploration(runs: limit, isComplete: false, failure: nil)
  }
  if exploration.isComplete { return exploration }
  location.report(
    "The scenario has more than \(limit) orders, and the others weren't tried. Make the scenario smaller.")
  return exploration
}

/// Returns the order for each run, or only the order that the environment selects.
func exploredOrders(runs: Int, seed: UInt64, environment: [String: String], at location: CodeLocation) -> [RunOrder] {
  if let selected = selectedOrder(in: environment, at: location) { return [selected] }
  if let replayed = environment["STREAMS_SEED"].flatMap(UInt64.init) { return [.shuffled(seed: replayed)] }
  return (0..<max(1, runs)).map { run in
    let seed = seed &+ UInt64(max(0, run - 1) / 2)
    return run == 0 ? .fifo : run.isMultiple(of: 2) ? .prioritized(seed: seed) : .shuffled(seed: seed)
  }
}

/// Returns the order that the environment selects, if any. Reports a value that can't be read.
func selectedOrder(in environment: [String: String], at location: CodeLocation) -> RunOrder? {
  guard let text = environment["STREAMS_ORDER"], !text.isEmpty else { return nil }
  if let order = RunOrder(replaying: text) { return order }
  location.report(
    "STREAMS_ORDER is \"\(text.prefix(80))\", which is not an order, so all orders are explored. Copy the string from "
      + "the report of the run, such as shuffled-7 or script-z3.1.")
  return nil
}
