internal import Foundation
public import StreamSchedulers
internal import Streams

/// The failure of an explored run, and the order in which the run failed.
public struct ExploredFailure: Error, Sendable, CustomStringConvertible {
  /// The order of the run. A scheduler with this order repeats it.
  public let order: RunOrder

  /// The number of the run, counted from one.
  public let run: Int

  /// The error that the run threw, or the issue that was reported in it.
  public let reason: String

  /// A description of the failure, and of how to repeat the run.
  public var description: String {
    var text = "Run \(run) failed in the order \(order)" + (reason.isEmpty ? "." : ": \(reason)")
    if case .shuffled(let seed) = order.kind { text += "\nSet STREAMS_SEED=\(seed) to repeat this run alone." }
    return text
  }
}

/// The result of exploring all orders.
public struct Exploration: Sendable {
  /// The number of runs.
  public let runs: Int

  /// Indicates whether all orders were tried or a failure was found.
  public let isComplete: Bool

  /// The first failure, if there was one.
  public let failure: ExploredFailure?
}

/// Runs a closure in many orders of the scheduled work, and reports the first run that fails.
///
/// The first run uses the order in which the work was scheduled; the others use orders that are derived from a seed. A
/// run fails if it throws, if an issue is reported in it, for example by
/// ``Recorder/expect(_:error:fileID:filePath:line:column:)``, or if an expectation of Swift Testing fails in it. A
/// comment on such a failure identifies the run. Assertions of XCTest are not detected: use `try XCTUnwrap` there, or
/// throw.
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
/// If the environment variable `STREAMS_SEED` is set, only the run with that seed is made, and its failure is reported.
///
/// - Parameters:
///   - runs: The number of runs.
///   - seed: The first seed; the other runs use the numbers that follow it.
///   - fileID: The identifier of the source file for issues; the caller's by default, as are the next three.
///   - filePath: The path of the source file.
///   - line: The line in the source file.
///   - column: The column in the source file.
///   - body: A closure that makes a run, with schedulers of the order that it is given.
/// - Returns: The first failure, if there was one.
/// - Complexity: O(*n*) calls of the closure, where *n* is the number of runs.
@discardableResult
public func explore(
  runs: Int = 100, seed: UInt64 = 1,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (RunOrder) throws -> Void
) -> ExploredFailure? {
  let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let orders = exploredOrders(runs: runs, seed: seed, environment: ProcessInfo.processInfo.environment)
  let watch = RunWatch()
  return watch.watching {
    for (index, order) in orders.enumerated() {
      if let failure = watch.failure(ofRun: index + 1, in: order, at: place, body) { return failure }
    }
    return nil
  }
}

/// Runs a closure in every possible order of the scheduled work, and reports the first run that fails.
///
/// It is intended for small scenarios: three tasks that each wait twice have hundreds of orders. If there are more
/// orders than the limit, that is reported, too, because the others were not tried. The behavior of a run must depend
/// on nothing but the order.
///
/// ```swift
/// exploreAll { order in
///   let scheduler = DispatchQueue.test(order: order)
///   …
/// }
/// ```
///
/// To repeat a run that failed, create a scheduler with the failure's order, which is a `.script`.
///
/// - Parameters:
///   - limit: The maximum number of runs.
///   - fileID: The identifier of the source file for issues; the caller's by default, as are the next three.
///   - filePath: The path of the source file.
///   - line: The line in the source file.
///   - column: The column in the source file.
///   - body: A closure that makes a run, with schedulers of the order that it is given.
/// - Returns: The number of runs, whether all orders were tried, and the first failure, if there was one.
/// - Complexity: O(*n*) calls of the closure, where *n* is the number of orders, at most the limit.
@discardableResult
public func exploreAll(
  limit: Int = 10_000,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (RunOrder) throws -> Void
) -> Exploration {
  let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
  let watch = RunWatch()
  let exploration = watch.watching {
    var script: [Int] = []
    for run in 1...max(1, limit) {
      let record = ChoiceRecord()
      let order = RunOrder(.script(script), record: record)
      if let failure = watch.failure(ofRun: run, in: order, at: place, body) {
        return Exploration(runs: run, isComplete: true, failure: failure)
      }
      // The next order differs in the last choice that has another alternative.
      var choices = record.all
      while let last = choices.last, last.choice + 1 >= last.count { choices.removeLast() }
      guard let last = choices.last else { return Exploration(runs: run, isComplete: true, failure: nil) }
      script = choices.dropLast().map(\.choice) + [last.choice + 1]
    }
    return Exploration(runs: limit, isComplete: false, failure: nil)
  }
  if exploration.isComplete { return exploration }
  place.report("The scenario has more than \(limit) orders; the others were not tried. Make the scenario smaller.")
  return exploration
}

/// The orders of the runs; a single one if the environment selects it.
func exploredOrders(runs: Int, seed: UInt64, environment: [String: String]) -> [RunOrder] {
  if let replayed = environment["STREAMS_SEED"].flatMap(UInt64.init) { return [.shuffled(seed: replayed)] }
  return (0..<max(1, runs)).map { $0 == 0 ? .fifo : .shuffled(seed: seed &+ UInt64($0 - 1)) }
}
