public import Dispatch
internal import Foundation
public import StreamSchedulers
internal import Streams

/// Generates timelines until one breaks a property, shrinks that timeline, and reports it as a marble diagram, with a
/// test that repeats it.
///
/// ```swift
/// @MainActor @Test func aSearchNeverShowsAnOutdatedAnswer() {
///   checkTimelines(of: .letters, .delays) { scheduler, typing, delays in
///     let model = SearchModel(typing: typing, scheduler: scheduler) { query in
///       Just("answer to \(query)").delay(for: delays.next(), scheduler: scheduler)
///     }
///     scheduler.run()
///     let last = typing.events.compactMap(\.value).last
///     #expect(model.answer == last.map { "answer to \($0)" })
///   }
/// }
/// ```
///
/// **Runs.** Each run has its own scheduler, whose time the closure advances, and its own arguments, whose events
/// happen on that scheduler. Small timelines come first. Events come at the same instant, in bursts, and after silence.
/// They can coincide with timers, and with events of other sources, in the order that `ties` determines. Simultaneous
/// tasks run in different orders. The check learns how long the code under test waits, and uses these intervals, along
/// with slightly shorter and longer ones, as gaps between events.
///
/// **Bounds.** A timeline lasts at most ten times the longest interval for which the code under test waits. If the code doesn't
/// wait, a timeline lasts at most ten thousand frames. Each delay has the same limit. Intervals that the check itself has drawn
/// don't count. To set another limit, use ``TimelineGenerator/within(_:)``. If a call that advances time runs a hundred thousand
/// actions, the run fails and names the busiest ones. The scheduler's `maximumActions`, set in the closure, changes this budget.
///
/// **Failures.** A run fails if the closure throws, if an issue is reported in it, for example by
/// ``StreamSchedulers/TestScheduler/expect(_:_:error:subscription:demand:fileID:filePath:line:column:)``, or if an
/// expectation of Swift Testing fails in it. A recorder also reports a stream that breaks a rule of the contract. If a
/// subscription to a source is still active after the closure has returned and pending work has run, that's reported,
/// too, unless `allowsLeaks` is `true`. Assertions of XCTest aren't detected: throw there, or use `expect`.
///
/// **Shrinking.** The check removes events, shortens times, and simplifies values as long as the run fails at the same
/// line or with the same error type. The result depends only on the seed and the code under test. Only the smallest run
/// is reported.
///
/// **Worlds.** On the main actor, each run takes place in a virtual world, so a model on the main actor, its tasks and
/// its sleeps use virtual time. Elsewhere, only the scheduler's work uses virtual time.
///
/// **Crashes.** Each run is written to a file before it begins. If the process ends during the run, the next check at the same
/// line repeats that run and, if the process ends again, shrinks it across several processes. The file is in the folder that the
/// environment variable `STREAMS_TIMELINES` names, by default `.build/timelines` or a temporary folder. A signal such as `SIGINT`
/// doesn't leave a run behind.
///
/// The environment variable `STREAMS_SEED` replaces the seed. <doc:PropertyBasedTesting> is a tutorial.
///
/// - Parameters:
///   - generators: The generators of the arguments.
///   - runs: The maximum number of runs, at least one.
///   - seed: The seed from which everything is drawn. The same seed draws the same timelines on every machine.
///   - frame: The duration of one frame, the unit of gaps and of diagrams.
///   - ties: The possible orders of events and timers at the same instant.
///   - allowsLeaks: `true` if the code under test may stay subscribed to its sources after the run.
///   - isolation: The isolation of the caller.
///   - body: A closure that runs the code under test. It must depend on its arguments only.
/// - Returns: The reported failure, if there was one.
/// - Complexity: At most `runs` calls to the closure, and about 1,200 more to shrink and report a failing run.
@discardableResult
public func checkTimelines<each Argument>(
  of generators: repeat TimelineGenerator<each Argument>, runs: Int = 1_000, seed: UInt64 = 1,
  frame: DispatchQueue.SchedulerTimeType.Stride = .milliseconds(1), ties: TimelineTies = .inOrder,
  allowsLeaks: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: (TestSchedulerOf<DispatchQueue>, repeat each Argument) throws -> Void
) -> TimelineFailure? {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let settings = TimelineCheck.Settings(runs, seed, frame, ties, allowsLeaks, location)
  let slots = (repeat GeneratorSlot(each generators))
  return checkSynchronously(argumentSlots(repeat each slots), settings, isolation) { scheduler in
    try body(scheduler, repeat (each slots).argument)
  }
}

/// The possible orders of events and timers that are due at the same instant.
public enum TimelineTies: Sendable {
  /// Events come in the order of the arguments, before timers, as in a test that you write by hand. Use it for code
  /// that may rely on this order.
  case inOrder

  /// In some runs, sources send in reverse order, or timers come first. Use it for code that must work either way, such as in
  /// real time. If only such a run fails, the failure's first line says so.
  case anyOrder
}

// MARK: Asynchronous closures

/// Generates timelines until one breaks a property of asynchronous code, and reports the smallest one that does.
///
/// ```swift
/// @Test func aSearchEnds() async {
///   await checkTimelines(of: .letters.ending(.always)) { scheduler, typing in
///     let model = SearchModel(clock: scheduler.clock)
///     for await text in typing.values { model.query = text }
///     try await scheduler.clock.sleep(for: .seconds(1))
///     #expect(!model.isLoading)
///   }
/// }
/// ```
///
/// It's like ``checkTimelines(of:runs:seed:frame:ties:allowsLeaks:isolation:fileID:filePath:line:column:_:)``, but each
/// run takes place on the main actor, in a virtual world whose time advances while all tasks sleep. A run that can
/// never continue fails with a `Deadlock`.
@MainActor
@discardableResult
public func checkTimelines<each Argument>(
  of generators: repeat TimelineGenerator<each Argument>, runs: Int = 1_000, seed: UInt64 = 1,
  frame: DispatchQueue.SchedulerTimeType.Stride = .milliseconds(1), ties: TimelineTies = .inOrder,
  allowsLeaks: Bool = false,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: @MainActor (TestSchedulerOf<DispatchQueue>, repeat each Argument) async throws -> Void
) async -> TimelineFailure? {
  let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let settings = TimelineCheck.Settings(runs, seed, frame, ties, allowsLeaks, location)
  let slots = (repeat GeneratorSlot(each generators))
  return checkAsynchronously(argumentSlots(repeat each slots), settings) { scheduler in
    try await body(scheduler, repeat (each slots).argument)
  }
}

// MARK: Making the check

func argumentSlots<each Argument>(_ slots: repeat GeneratorSlot<each Argument>) -> [any ArgumentSlot] {
  var all: [any ArgumentSlot] = []
  repeat all.append(each slots)
  return all
}

extension TimelineCheck.Settings {
  fileprivate init(
    _ runs: Int, _ seed: UInt64, _ frame: DispatchQueue.SchedulerTimeType.Stride, _ ties: TimelineTies,
    _ allowsLeaks: Bool, _ location: CodeLocation
  ) {
    let replayed = ProcessInfo.processInfo.environment["STREAMS_SEED"].flatMap(UInt64.init)
    self.init(
      runs: runs, seed: replayed ?? seed, frame: frame, ties: ties, allowsLeaks: allowsLeaks, location: location)
  }
}

/// Performs a check with synchronous runs, each in a virtual world if the caller is on the main actor.
func checkSynchronously(
  _ arguments: [any ArgumentSlot], _ settings: TimelineCheck.Settings, _ isolation: (any Actor)?,
  _ body: (TestSchedulerOf<DispatchQueue>) throws -> Void
) -> TimelineFailure? {
  // The main thread belongs to the main actor, even if the caller, such as a method of XCTest, isn't isolated.
  let isOnMainActor = isolation === MainActor.shared || Thread.isMainThread
  let isInWorld =
    isOnMainActor && MainActor.assumeIsolated { TestSchedulerOf<DispatchQueue>.notCapturedByVirtualWorld.isEmpty }
  var settings = settings
  settings.world = isInWorld ? .synchronous : .none
  return withoutActuallyEscaping(body) { body in
    TimelineCheck(arguments, settings) { scheduler, makeArguments, after in
      func run() throws {
        try body(scheduler)
        after()
      }
      makeArguments()
      guard isInWorld else { return try run() }
      try withoutActuallyEscaping(run) { run in
        let run = UnsafeTransfer(run)
        try MainActor.assumeIsolated { try scheduler.withVirtualWorld { try run.value() } }
      }
    }()
  }
}

/// Performs a check with asynchronous runs, each in a virtual world.
@MainActor
func checkAsynchronously(
  _ arguments: [any ArgumentSlot], _ settings: TimelineCheck.Settings,
  _ body: @MainActor (TestSchedulerOf<DispatchQueue>) async throws -> Void
) -> TimelineFailure? {
  var settings = settings
  settings.world = .asynchronous
  return withoutActuallyEscaping(body) { body in
    TimelineCheck(arguments, settings) { scheduler, makeArguments, after in
      let (makeArguments, after) = (UnsafeTransfer(makeArguments), UnsafeTransfer(after))
      try MainActor.assumeIsolated {
        try scheduler.runVirtualWorld {
          // Events at the beginning happen after the closure has begun and subscribed.
          makeArguments.value()
          try await body(scheduler)
        }
        scheduler.withVirtualWorld { after.value() }
      }
    }()
  }
}
