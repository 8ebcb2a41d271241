internal import Dispatch
internal import Foundation
internal import StreamSchedulers
internal import Streams

/// A check of one property, which performs runs until one fails, shrinks that run, and reports it.
struct TimelineCheck {
  let arguments: [any ArgumentSlot]
  let settings: Settings

  /// A closure that creates the arguments, calls the check's closure, which takes them from their slots, and then calls
  /// `after`.
  let attempt: Attempt

  typealias Attempt = (
    _ scheduler: TestSchedulerOf<DispatchQueue>, _ makeArguments: @escaping () -> Void, _ after: @escaping () -> Void
  ) throws -> Void

  /// The virtual world in which a run takes place.
  enum World {
    case none
    case synchronous
    case asynchronous
  }

  struct Settings {
    /// The number of runs, or their limit if all timelines are tried.
    var runs: Int
    var seed: UInt64

    /// The largest number of events if all timelines are tried, or `nil` to draw timelines.
    var eventCount: Int?
    var frame: DispatchQueue.SchedulerTimeType.Stride
    var ties: TimelineTies
    var allowsLeaks: Bool
    var world = World.none
    var shrinkingRuns = 1_000
    var location: CodeLocation

    var function: String { eventCount == nil ? "checkTimelines" : "checkAllTimelines" }
  }

  private let watch = RunWatch()
  private let intervals = ObservedIntervals()

  init(_ arguments: [any ArgumentSlot], _ settings: Settings, attempt: @escaping Attempt) {
    self.arguments = arguments
    self.settings = settings
    self.attempt = attempt
  }

  private var shapes: [TimelineShape] { arguments.map(\.shape) }
  private var frame: Int { settings.frame.nanoseconds }
  private var location: CodeLocation { settings.location }

  /// The maximum number of events in a stream, unless its generator says otherwise.
  private static let largestSize = 12

  /// The number of actions that one call may run before the run fails.
  private static let maximumActions = 100_000

  /// The maximum duration of runs from which intervals are learned, and of timelines for code that doesn't wait.
  private var firstLimit: Int { frame.multipliedSaturating(by: 10_000) }

  /// The maximum duration of a timeline. Learned intervals can't grow without end, because intervals are learned only
  /// from runs within `firstLimit`.
  private var longest: Int { intervals.usual.last?.multipliedSaturating(by: 10) ?? firstLimit }

  func callAsFunction() -> TimelineFailure? {
    guard frame > 0 else {
      location.report("A frame must be longer than zero, got \(DurationText.described(frame)). Nothing was checked.")
      return nil
    }
    return watch.watching {
      let journal = TimelineJournal(location)
      if let journal, let failure = resume(journal) { return failure }
      defer { journal?.remove() }
      if let eventCount = settings.eventCount { return searchAll(max(0, eventCount), journal) }
      return search(journal)
    }
  }

  // MARK: Searching

  private func search(_ journal: TimelineJournal?) -> TimelineFailure? {
    var drawn: Set<DrawnRun> = []
    for number in 1...max(1, settings.runs) {
      let run = drawnRun(number, notIn: &drawn)
      if let failure = failure(of: run, number, observing: number <= 10 || number % 8 == 0, journal) { return failure }
    }
    return nil
  }

  /// Performs all runs with at most a given number of events, beginning with the fewest.
  private func searchAll(_ eventCount: Int, _ journal: TimelineJournal?) -> TimelineFailure? {
    var tried: Set<DrawnRun> = []
    var count = 0
    while count <= eventCount {
      let known = intervals.usual
      var failure: TimelineFailure?
      let isComplete = RunEnumeration(shapes, frame: frame, intervals: known, settings.ties).allSatisfy(
        eventCount: count
      ) { run in
        if tried.contains(run) { return true }
        guard tried.count < settings.runs else { return false }
        tried.insert(run)
        // After a longer gap, a timer may wait for the rest of an interval, as a throttle's timer does.
        let isPlain = run.gaps(in: shapes).allSatisfy { $0 <= frame }
        failure = self.failure(of: run, tried.count, observing: isPlain, journal)
        return failure == nil
      }
      if let failure { return failure }
      guard isComplete else {
        location.report(
          "There are more than \(settings.runs) timelines with at most \(eventCount) events, and the others weren't tried. "
            + "Try timelines with fewer events or values, or pass a higher limit.")
        return nil
      }
      // If the code under test has waited for other intervals, smaller runs with these gaps come first.
      count = intervals.usual == known ? count + 1 : 0
    }
    if tried.isEmpty {
      location.report("The generators allow no timeline with at most \(eventCount) events. Nothing was checked.")
    }
    return nil
  }

  /// Performs a run. If it fails, shrinks it and reports it.
  private func failure(
    of run: DrawnRun, _ number: Int, observing: Bool, _ journal: TimelineJournal?
  ) -> TimelineFailure? {
    journal?.note(number: number)
    journal?.note(run, .searching)
    guard let failure = quietFailure(of: run, observing: observing) else { return nil }
    let shrunk = shrink(run, failure, journal)
    return report(shrunk.run, run, number, shrunk.count, failure)
  }

  /// Draws a run, and tries up to four more times if the same run has been drawn before.
  private func drawnRun(_ number: Int, notIn earlier: inout Set<DrawnRun>) -> DrawnRun {
    let growth = max(1, settings.runs / (4 * Self.largestSize))
    let size = min(Self.largestSize, 1 + (number - 1) / growth)
    // Seeds of different checks and runs have nothing in common.
    let seed = (settings.seed &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(number)
    var generator = RunGenerator(seed: seed, size: size, frame: frame, intervals: intervals.usual, longest: longest)
    func draw() -> DrawnRun {
      var run = generator.run(of: shapes)
      if settings.ties == .inOrder { (run.isReversed, run.hotEventsComeFirst) = (false, true) }
      return run
    }
    var run = draw()
    var attempts = 1
    while !earlier.insert(run).inserted, attempts < 5 {
      run = draw()
      attempts += 1
    }
    return run
  }

  private func shrink(_ run: DrawnRun, _ failure: RunFailure, _ journal: TimelineJournal?) -> (
    run: DrawnRun, count: Int
  ) {
    var shrinking = TimelineShrinking(run, shapes: shapes, frame: frame, limit: settings.shrinkingRuns) { candidate in
      journal?.note(candidate, .searching)
      // Only a run that fails in the same way is a smaller version of this one.
      return quietFailure(of: candidate)?.origin == failure.origin
    }
    shrinking.shrink()
    let (smallest, count) = shrinkOrder(of: shrinking.smallest, failure)
    return (smallest, shrinking.runCount + count)
  }

  /// Shrinks a run's order: as many choices as possible become zero, as in the order of scheduling.
  private func shrinkOrder(of run: DrawnRun, _ failure: RunFailure) -> (run: DrawnRun, count: Int) {
    guard let order = run.order.flatMap({ RunOrder(replaying: $0) }) else { return (run, 0) }
    let record = ChoiceRecord()
    _ = watch.quietFailure { try make(run, in: RunOrder(order.kind, record: record)) }
    let shrinker = watch.shrunkOrder(record.all, failingAt: failure.origin) { try make(run, in: $0) }
    var smallest = run
    if shrinker.record != nil { smallest.order = RunOrder.script(shrinker.script).replayString }
    return (smallest, shrinker.runCount + 1)
  }

  // MARK: Runs

  private func quietFailure(of run: DrawnRun, observing: Bool = false) -> RunFailure? {
    watch.quietFailure { try make(run, observing: observing) }
  }

  private func make(
    _ run: DrawnRun, in order: RunOrder? = nil, observing: Bool = false, transcript: RunTranscript? = nil
  ) throws {
    let scheduler = DispatchQueue.test(
      order: order ?? run.order.flatMap { RunOrder(replaying: $0) } ?? .fifo,
      fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
    scheduler.frame = settings.frame
    scheduler.maximumActions = Self.maximumActions
    scheduler.hotEventsComeFirst = run.hotEventsComeFirst
    // A timeline may be empty.
    scheduler.timeline.noteUse()
    if let transcript { _ = scheduler.attachments.object(RunTranscript.self) { transcript } }

    let indices = arguments.indices.map { run.isReversed ? arguments.count - 1 - $0 : $0 }
    defer { for argument in arguments { argument.empty() } }

    var isOver = true
    func attempt() throws {
      try self.attempt(scheduler) {
        // The events' times aren't intervals for which the code under test waits.
        ArmingObservation.observing({ _ in }) {
          for index in indices { arguments[index].fill(with: run.timelines[index], on: scheduler, location) }
        }
      } _: {
        // Pending actions may still release objects that the run created.
        if !settings.allowsLeaks { isOver = scheduler.stepAtMostTenThousandTimes { true } }
      }
    }
    let durations = Set(zip(shapes, run.timelines).flatMap { $1.durations(of: $0.kind) } + [0])
    if observing, durations.allSatisfy({ $0 <= firstLimit }) {
      // A timer that's armed again waits for the time between two events, as a debounce's timer does.
      let drawn = Set(durations.flatMap { one in durations.map { one - $0 } })
      try intervals.observing(scheduler.timeline, except: drawn, attempt)
    } else {
      try attempt()
    }

    guard !settings.allowsLeaks, let leak = arguments.first(where: { $0.liveCount > 0 }) else { return }
    let rest =
      isOver
      ? "although nothing is pending and the run's local values are gone"
      : "and its budget is used up: ten thousand further actions have run, and more are pending"
    throw TimelineLeak(
      description: """
        A subscription to the stream of \(leak.name) is still active after the run, \(rest). The code under test doesn't cancel it, or something keeps that code alive, such as a retain \
        cycle with one of its closures. If you intend that, pass allowsLeaks: true.
        """)
  }

  // MARK: Reporting

  /// Performs the smallest run twice more: once to record what happens, and once to report it.
  private func report(
    _ run: DrawnRun, _ original: DrawnRun, _ number: Int, _ shrinkingCount: Int, _ failure: RunFailure
  ) -> TimelineFailure {
    let transcript = RunTranscript()
    let last = watch.quietFailure { try make(run, transcript: transcript) }
    var report = TimelineFailure(
      run: number, runs: settings.runs, shrinkingRuns: shrinkingCount, seed: settings.seed,
      eventCount: run.eventCount(in: shapes), originalEventCount: original.eventCount(in: shapes),
      reason: (last ?? failure).reason)
    let source = TimelineSource(arguments, run, number, settings)
    report.isExhaustive = settings.eventCount != nil
    report.diagram = source.diagram(transcript)
    report.test = source.test
    report.reason =
      run.tie.map { "This run fails only if \($0) at the same instant. \(report.reason)" } ?? report.reason
    guard last != nil else {
      report.reason =
        "The same run failed at first and passed when it was repeated. The code under test depends on something other than "
        + "its arguments and the scheduler, such as real time or a global variable. The first failure: \(failure.reason)"
      location.report(report.shortDescription)
      return report
    }
    let files = FailureAttachments(source.timelines(transcript), report.description).attach(at: location)
    let issueCount = Locked(0)
    nonisolated(unsafe) let count = issueCount
    let loud = watch.failure {
      try make(run)
    } comment: {
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? report.explanation : "In the same run."
    }
    if loud?.isRecorded != true {
      (loud ?? failure).report(([report.shortDescription] + files).joined(separator: "\n"), orAt: location)
    }
    return report
  }

  // MARK: Going on after the end of a process

  /// Resumes a check in which an earlier process ended. Returns the failure if no smaller run ends the process.
  private func resume(_ journal: TimelineJournal) -> TimelineFailure? {
    guard let left = journal.left, left.version == 1, isPossible(left.run) else { return nil }
    switch left.phase {
    case .searching:
      // The process may have ended for another reason.
      makeAgain(left.run, .confirming, journal, endedProcesses: 1)
      return nil
    case .reported:
      makeAgain(left.run, .verifying, journal, endedProcesses: left.endedProcesses)
      return nil
    case .verifying:
      return reportEnd(in: left.run, left, journal)
    case .confirming, .shrinking:
      say(
        "The process ended in this run of \(settings.function). Smaller runs follow, which may end it again.", left.run)
      journal.noteEnd(in: left.run, processes: left.endedProcesses + 1)
      var shrinking = TimelineShrinking(
        left.run, shapes: shapes, frame: frame, limit: settings.shrinkingRuns
      ) { candidate in
        journal.note(candidate, .shrinking)
        _ = quietFailure(of: candidate)
        // This run hasn't ended the process.
        return false
      }
      shrinking.shrink()
      return reportEnd(in: left.run, left, journal)
    }
  }

  /// Returns whether a run, which may have been drawn for another version of the check, suits this version.
  private func isPossible(_ run: DrawnRun) -> Bool {
    run.timelines.count == arguments.count && zip(shapes, run.timelines).allSatisfy { $0.allows($1) }
  }

  /// Repeats a run in which a process may have ended. If this process survives, the search starts over.
  private func makeAgain(
    _ run: DrawnRun, _ phase: TimelineJournal.Phase, _ journal: TimelineJournal, endedProcesses: Int
  ) {
    say("The process ended in this run of \(settings.function). The run is repeated.", run)
    journal.noteEnd(in: run, processes: endedProcesses)
    journal.note(run, phase)
    _ = quietFailure(of: run)
    journal.forgetEnd()
  }

  private func say(_ text: String, _ run: DrawnRun) {
    let diagram = TimelineSource(arguments, run, 0, settings).diagram()
    Platform.writeToStandardError("\(location.filePath):\(location.line): note: \(text)\n\(diagram)\n")
  }

  private func reportEnd(
    in run: DrawnRun, _ left: TimelineJournal.Entry, _ journal: TimelineJournal
  ) -> TimelineFailure {
    journal.noteEnd(in: run, processes: left.endedProcesses + 1)
    journal.note(run, .reported)
    let source = TimelineSource(arguments, run, left.number, settings)
    var failure = TimelineFailure(
      run: left.number, runs: settings.runs, shrinkingRuns: 0, seed: settings.seed,
      eventCount: run.eventCount(in: shapes),
      originalEventCount: run.eventCount(in: shapes),
      reason:
        "The process ended \(left.endedProcesses + 1) times in this run and in larger ones, until no smaller run ended it. "
        + "This time, the run wasn't repeated. It will be the next time you run the test.")
    failure.isExhaustive = settings.eventCount != nil
    failure.diagram = source.diagram()
    failure.test = source.test
    location.report(failure.shortDescription)
    return failure
  }
}

/// The failure of a run that leaves a subscription behind.
struct TimelineLeak: Error, CustomStringConvertible {
  let description: String
}

/// The intervals for which the code under test waits, as far as the runs have shown.
final class ObservedIntervals: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it: the lock protects the counts.
  private let counts = Locked<[Int: Int]>([:])

  private static let longest = 86_400_000_000_000
  private static let most = 8

  /// The most frequent intervals, at most eight, in ascending order.
  var usual: [Int] {
    let all = counts.withLock { $0 }
    return all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.most).map(\.key).sorted()
  }

  /// Runs a closure, and notes the intervals of the actions that it arms on a timeline, except for intervals that were
  /// drawn.
  func observing(_ timeline: Timeline, except drawn: Set<Int>, _ body: () throws -> Void) throws {
    let seen = Locked<Set<Int>>([])
    nonisolated(unsafe) let noted = seen
    let identity = ObjectIdentifier(timeline)
    let result = ArmingObservation.observing(
      { armed in
        guard ObjectIdentifier(armed) == identity, let delay = armed.newestDelay, delay > 0, delay <= Self.longest
        else { return }
        _ = noted.withLock { $0.insert(delay) }
      },
      {
        Result { try body() }
      })
    let delays = seen.withLock { $0 }.subtracting(drawn)
    counts.withLock { counts in for delay in delays { counts[delay, default: 0] += 1 } }
    try result.get()
  }
}
