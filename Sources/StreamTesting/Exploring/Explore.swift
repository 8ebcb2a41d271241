internal import Foundation
public import StreamSchedulers
internal import Streams

/// A run that failed, and the order in which it did.
public struct ExploredFailure: Error, Sendable, CustomStringConvertible {
  /// The order: with it, a scheduler makes the same run again.
  public let order: RunOrder

  /// Which run it was, counted from one.
  public let run: Int

  /// What the run threw or reported.
  public let reason: String

  /// How the run fails, and how to make it again.
  public var description: String {
    var text = "Run \(run) fails, in the order \(order)" + (reason.isEmpty ? "." : ": \(reason)")
    if case .shuffled(let seed) = order.kind { text += "\nRun it again alone with STREAMS_SEED=\(seed)." }
    return text
  }
}

/// What came of trying every order.
public struct Exploration: Sendable {
  /// How many runs were made.
  public let runs: Int

  /// Whether every order was tried, or a failure found.
  public let isComplete: Bool

  /// The first run that failed, if one did.
  public let failure: ExploredFailure?
}

/// Makes a run in many orders, and reports the first that fails.
///
/// The first run is in the order in which everything was armed, the others in orders that a seed decides. A run fails when
/// it throws, or when an issue is reported in it, by ``Recorder/expect(_:error:fileID:filePath:line:column:)`` for example, or
/// when an expectation of Swift Testing fails in it. Such a failure says in a comment which run it was. Assertions of XCTest
/// do not tell: there use `try XCTUnwrap`, or throw.
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
/// With the environment variable `STREAMS_SEED`, only the run with that seed is made, and what it throws is reported.
///
/// - Parameters:
///   - runs: How many runs to make.
///   - seed: The first seed; the others follow it.
///   - fileID: Where a failure is reported, as are the next three.
///   - filePath: The path of the file.
///   - line: The line.
///   - column: The column.
///   - body: Makes a run, with schedulers of the order.
/// - Returns: The first run that failed, if one did.
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

/// Makes a run in every order that there is, and reports the first that fails.
///
/// It is for small scenarios: three tasks that each wait twice have hundreds of orders. If there are more than the limit,
/// that is reported too, as the others were not tried. What a run does must depend on nothing but the order.
///
/// ```swift
/// exploreAll { order in
///   let scheduler = DispatchQueue.test(order: order)
///   …
/// }
/// ```
///
/// A run that fails is made again with a scheduler of its order, which is a `.script`.
///
/// - Parameters:
///   - limit: How many runs to make at most.
///   - fileID: Where a failure is reported, as are the next three.
///   - filePath: The path of the file.
///   - line: The line.
///   - column: The column.
///   - body: Makes a run, with schedulers of the order.
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
      // The next order differs in the last choice for which there is another possibility.
      var choices = record.all
      while let last = choices.last, last.choice + 1 >= last.count { choices.removeLast() }
      guard let last = choices.last else { return Exploration(runs: run, isComplete: true, failure: nil) }
      script = choices.dropLast().map(\.choice) + [last.choice + 1]
    }
    return Exploration(runs: limit, isComplete: false, failure: nil)
  }
  if exploration.isComplete { return exploration }
  place.report("There are more than \(limit) orders: the others were not tried. Make the scenario smaller.")
  return exploration
}

/// The orders in which runs are made; one, where the environment asks for it.
func exploredOrders(runs: Int, seed: UInt64, environment: [String: String]) -> [RunOrder] {
  if let replayed = environment["STREAMS_SEED"].flatMap(UInt64.init) { return [.shuffled(seed: replayed)] }
  return (0..<max(1, runs)).map { $0 == 0 ? .fifo : .shuffled(seed: seed &+ UInt64($0 - 1)) }
}
