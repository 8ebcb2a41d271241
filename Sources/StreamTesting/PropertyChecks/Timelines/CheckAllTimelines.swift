public import Dispatch
public import StreamSchedulers
internal import Streams

/// Tries all small timelines until one breaks a property, those with the fewest events first.
///
/// ```swift
/// @Test func theLastLetterIsShown() {
///   checkAllTimelines(of: .letters.ending(.never), upTo: 3) { scheduler, letters in
///     let shown = scheduler.record(letters.throttle(for: .milliseconds(20), scheduler: scheduler, latest: true))
///     scheduler.run()
///     #expect(shown.values.last == letters.events.last?.value)
///     shown.cancel()
///   }
/// }
/// ```
///
/// Use it beside `checkTimelines`, which draws larger timelines. If this check passes, no timeline of this size fails on
/// the instants that it tries. If it fails, no timeline with fewer events does.
///
/// **Instants.** Between two events, no time passes, or a frame, or an interval for which the code under test waits, or
/// a frame less or more than that. Delays are as long as that, too. The intervals are learned from the runs without
/// longer gaps than a frame. If one shows another interval, the timelines with this interval follow, again those with
/// the fewest events first. Code that compares dates doesn't wait, so its intervals are unknown: pass a `frame` of half
/// its interval.
///
/// **Values.** Letters have all patterns: with two letters, `aa` and `ab`. From other generators, the simplest eight values
/// are tried. A demand is unlimited, or one value, or two. Events that meet other sources' events or timers come in
/// the order that `ties` says. Simultaneous tasks run in the order in which they were
/// scheduled: ``exploreAll(limit:fileID:filePath:line:column:_:)`` tries other orders.
///
/// A failing run is made smaller, reported, and resumed after a crash as that of `checkTimelines`.
///
/// - Parameters:
///   - generators: The generators of the arguments.
///   - eventCount: The largest number of events of all arguments together; three by default. Less than zero counts as zero.
///   - limit: The largest number of runs. If there are more timelines, that is reported.
///   - frame: The duration of one frame, the unit of gaps and of diagrams.
///   - ties: The orders in which events and timers of the same instant come.
///   - allowsLeaks: Whether the code under test may go on listening to its sources when everything is over.
///   - isolation: The isolation of the caller: on the main actor, each run is made in a virtual world.
///   - body: A closure that makes a run. It must depend on its arguments only.
/// - Returns: The failure, if there was one, which has been reported.
/// - Complexity: At most `limit` calls of the closure, and a thousand more that make a failing run smaller.
@discardableResult
public func checkAllTimelines<each Argument>(
  of generators: repeat TimelineGenerator<each Argument>, upTo eventCount: Int = 3, limit: Int = 100_000,
  frame: DispatchQueue.SchedulerTimeType.Stride = .milliseconds(1), ties: TimelineTies = .inOrder,
  allowsLeaks: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (TestSchedulerOf<DispatchQueue>, repeat each Argument) throws -> Void
) -> TimelineFailure? {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let settings = TimelineCheck.Settings(all: eventCount, limit, frame, ties, allowsLeaks, location)
  let slots = (repeat GeneratorSlot(each generators))
  return checkSynchronously(argumentSlots(repeat each slots), settings, isolation) { scheduler in
    try body(scheduler, repeat (each slots).argument)
  }
}

// MARK: Asynchronous closures

/// Tries all small timelines until one breaks a property of asynchronous code.
///
/// It is the form of the other `checkAllTimelines` for asynchronous closures. Each run is made in a virtual world, in
/// which time advances while everything sleeps.
///
/// - Parameters:
///   - generators: The generators of the arguments.
///   - eventCount: The largest number of events of all arguments together; three by default. Less than zero counts as zero.
///   - limit: The largest number of runs. If there are more timelines, that is reported.
///   - frame: The duration of one frame, the unit of gaps and of diagrams.
///   - ties: The orders in which events and timers of the same instant come.
///   - allowsLeaks: Whether the code under test may go on listening to its sources when everything is over.
///   - body: A closure that makes a run, on the main actor of a virtual world. A run that can never continue fails with
///     a `Deadlock`.
/// - Returns: The failure, if there was one, which has been reported.
@MainActor
@discardableResult
public func checkAllTimelines<each Argument>(
  of generators: repeat TimelineGenerator<each Argument>, upTo eventCount: Int = 3, limit: Int = 100_000,
  frame: DispatchQueue.SchedulerTimeType.Stride = .milliseconds(1), ties: TimelineTies = .inOrder,
  allowsLeaks: Bool = false,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: @MainActor (TestSchedulerOf<DispatchQueue>, repeat each Argument) async throws -> Void
) async -> TimelineFailure? {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let settings = TimelineCheck.Settings(all: eventCount, limit, frame, ties, allowsLeaks, location)
  let slots = (repeat GeneratorSlot(each generators))
  return checkAsynchronously(argumentSlots(repeat each slots), settings) { scheduler in
    try await body(scheduler, repeat (each slots).argument)
  }
}

// MARK: Making the check

extension TimelineCheck.Settings {
  fileprivate init(
    all eventCount: Int, _ limit: Int, _ frame: DispatchQueue.SchedulerTimeType.Stride, _ ties: TimelineTies,
    _ allowsLeaks: Bool, _ location: CodeLocation
  ) {
    self.init(
      runs: max(1, limit), seed: 0, eventCount: eventCount, frame: frame, ties: ties, allowsLeaks: allowsLeaks,
      location: location)
  }
}
