public import Dispatch
public import StreamSchedulers
internal import Streams

/// Tries all small timelines, beginning with those that have the fewest events, until one breaks a property.
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
/// Use it along with `checkTimelines`, which draws larger timelines. If this check passes, no timeline of this size
/// fails with the instants and values that it tries. If it fails, none of those with fewer events fails.
///
/// **Instants.** The gap between two events is zero, a frame, an interval for which the code under test waits, or a
/// frame less or more than such an interval. Delays have these lengths, too. The check learns the intervals from runs
/// whose gaps are at most a frame. If a run reveals a new interval, the timelines with this interval follow, again
/// beginning with the fewest events. Code that compares dates doesn't wait, so the check can't learn its interval: pass
/// half that interval as the `frame`.
///
/// **Values.** Letters take all patterns: two letters are `aa` or `ab`. For other generators, the check tries the eight
/// simplest values. A demand is unlimited, one value, or two values. `ties` determines the order of simultaneous events
/// and timers. Simultaneous tasks run in the order in which they were scheduled:
/// ``exploreAll(limit:fileID:filePath:line:column:_:)`` tries other orders.
///
/// Like `checkTimelines`, this check shrinks and reports a failing run, and resumes after a crash.
///
/// - Parameters:
///   - generators: The generators of the arguments.
///   - eventCount: The maximum total number of events of all arguments. A negative number counts as zero.
///   - limit: The maximum number of runs, at least one. If there are more timelines, that's reported.
///   - frame: The duration of one frame, the unit of gaps and of diagrams.
///   - ties: The possible orders of events and timers at the same instant.
///   - allowsLeaks: `true` if the code under test may stay subscribed to its sources after the run.
///   - isolation: The isolation of the caller. On the main actor, each run takes place in a virtual world.
///   - body: A closure that runs the code under test. It must depend on its arguments only.
/// - Returns: The reported failure, if there was one.
/// - Complexity: At most `limit` calls to the closure, and about a thousand more to shrink and report a failing run.
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
/// It's like ``checkAllTimelines(of:upTo:limit:frame:ties:allowsLeaks:isolation:fileID:filePath:line:column:_:)``, but
/// each run takes place on the main actor, in a virtual world whose time advances while all tasks sleep. A run that can
/// never continue fails with a `Deadlock`.
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
