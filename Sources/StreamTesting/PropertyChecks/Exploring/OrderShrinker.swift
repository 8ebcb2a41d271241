internal import StreamSchedulers

/// A search for the smallest choices with which a run still fails: as many as possible become zero, which keeps the
/// order in which the work was scheduled.
///
/// Choices become zero in groups, beginning with half of them and ending with single choices, until none of the rest
/// can be zero. If more than one nonzero choice is left, each order with a single nonzero choice is tried, too. The
/// result depends only on the runs, whose number is limited.
struct OrderShrinker {
  /// Performs a run with the given choices, and returns its choices and whether it failed in the same way.
  typealias Run = ([Int]) -> (record: ChoiceRecord, fails: Bool)

  /// The maximum number of runs for shrinking a failing order.
  static let maximumRuns = 200

  /// The choices of the smallest failing run, up to the last that isn't zero.
  private(set) var script: [Int]

  /// The record of the run with these choices, or `nil` if no run with them has failed.
  private(set) var record: ChoiceRecord?

  private(set) var runCount = 0

  /// The choices of all runs.
  private var tried: Set<[Int]> = []

  /// The number of alternatives for each choice of the smallest failing run.
  private var counts: [Int]

  /// The number of choices that further runs may make. It limits the cost of an order in which the work never ends.
  private var choicesLeft: Int

  init(_ choices: [Choice]) {
    script = Self.trimmed(choices.map(\.index))
    counts = choices.map(\.count)
    choicesLeft = Self.maximumRuns * (choices.count + 100)
  }

  /// Shrinks the choices if a run with them fails again.
  mutating func shrink(_ run: Run) {
    guard attempt(script, run) else { return }
    repeat {} while makeZero(run) && makeLess(run)
    trySingleChoices(run)
  }

  /// The positions of the choices that aren't zero.
  private var deviations: [Int] { script.indices.filter { script[$0] != 0 } }

  /// Sets as many choices as possible to zero, and returns whether that changed any.
  private mutating func makeZero(_ run: Run) -> Bool {
    var hasChanged = false
    var size = (deviations.count + 1) / 2
    while size > 0 {
      // From the end, because a choice determines which alternatives the later choices have.
      var end = deviations.count
      while end > 0 {
        var smaller = script
        for position in deviations[max(0, end - size)..<end] { smaller[position] = 0 }
        if attempt(smaller, run) { hasChanged = true }
        end = min(end - size, deviations.count)
      }
      size /= 2
    }
    return hasChanged
  }

  /// Lowers the choices that can't be zero, and returns whether that changed any.
  private mutating func makeLess(_ run: Run) -> Bool {
    var hasChanged = false
    for position in deviations.reversed() {
      var choice = 1
      while position < script.count, choice < script[position] {
        var smaller = script
        smaller[position] = choice
        if attempt(smaller, run) { hasChanged = true }
        choice += 1
      }
    }
    return hasChanged
  }

  /// Tries orders with a single choice that isn't zero.
  private mutating func trySingleChoices(_ run: Run) {
    for position in counts.indices {
      for choice in 1..<max(1, counts[position]) {
        guard deviations.count > 1 else { return }
        _ = attempt(Array(repeating: 0, count: position) + [choice], run)
      }
    }
  }

  /// Performs a run if the choices are smaller, and keeps them if the run fails.
  private mutating func attempt(_ wanted: [Int], _ run: Run) -> Bool {
    guard runCount < Self.maximumRuns, choicesLeft > 0 else { return false }
    let wanted = Self.trimmed(wanted)
    guard record == nil || isSmaller(wanted), tried.insert(wanted).inserted else { return false }
    runCount += 1
    let (record, fails) = run(wanted)
    let choices = record.all
    choicesLeft -= choices.count
    guard fails else { return false }
    script = wanted
    counts = choices.map(\.count)
    self.record = record
    // A choice that's out of range counts as zero. Several schedulers all use the same script, so the record contains
    // the choices of each of them, and a run with these may pass.
    _ = attempt(choices.map(\.index), run)
    return true
  }

  private func isSmaller(_ wanted: [Int]) -> Bool {
    Self.size(wanted).lexicographicallyPrecedes(Self.size(script))
  }

  private static func trimmed(_ choices: [Int]) -> [Int] {
    Array(choices[..<((choices.lastIndex { $0 != 0 } ?? -1) + 1)])
  }

  /// Returns the number of nonzero choices, their sum, and the number of all choices.
  private static func size(_ script: [Int]) -> [Int] {
    [script.count { $0 != 0 }, script.reduce(0, +), script.count]
  }
}

extension RunWatch {
  /// Shrinks the choices of a run that fails with the given origin. The runs for this report nothing.
  func shrunkOrder(
    _ choices: [Choice], failingAt origin: String, _ body: (RunOrder) throws -> Void
  ) -> OrderShrinker {
    var shrinker = OrderShrinker(choices)
    shrinker.shrink { script in
      let record = ChoiceRecord()
      let failure = quietFailure { try body(RunOrder(.script(script), record: record)) }
      return (record, failure?.origin == origin)
    }
    return shrinker
  }

  /// Performs a run without reporting anything. If it fails, shrinks its order, and reports a run in the smallest order.
  func smallestFailure(
    ofRun number: Int, in order: RunOrder, at location: CodeLocation, _ body: (RunOrder) throws -> Void
  ) -> ExploredFailure? {
    guard let record = order.record, let found = quietFailure(keepingWarnings: true, of: { try body(order) }) else {
      return nil
    }
    let shrinker = shrunkOrder(record.all, failingAt: found.origin, body)
    // If the choices alone don't make a run fail, for example because there are several schedulers, the original order
    // is kept.
    let smallest = shrinker.record == nil ? RunOrder(order.kind) : .script(shrinker.script)
    let notes = shrinker.record.map { Self.notes(on: $0, order, shrinker.runCount) } ?? []
    func explored(_ reason: String, _ further: String? = nil) -> ExploredFailure {
      ExploredFailure(
        order: smallest, run: number, reason: reason, firstOrder: RunOrder(order.kind),
        notes: notes + (further.map { [$0] } ?? []))
    }
    guard let failure = failure(of: { try body(smallest) }, comment: { explored("").description }) else {
      let failure = explored(
        found.reason, "It did not fail when it was repeated, so its behavior depends on more than the order.")
      location.report(failure.description)
      return failure
    }
    if let reason = failure.isRecorded ? failure.further : failure.reason {
      location.report(explored(reason).description)
    }
    return explored(failure.reason)
  }

  /// Returns lines that say how an order was found, and which of its choices differ from the order in which the work
  /// was scheduled.
  private static func notes(on record: ChoiceRecord, _ found: RunOrder, _ runCount: Int) -> [String] {
    let deviations = record.deviations
    let all = record.all
    let deviationCount = all.count { $0.index != 0 }
    let count = "\(deviationCount) of \(all.count) choices \(deviationCount == 1 ? "differs" : "differ")"
    return [
      "The order was found as \(found.replayString.prefix(40)) and made smaller in \(runCount) "
        + "run\(runCount == 1 ? "" : "s"): \(count) from the order in which the work was scheduled."
    ] + deviations.prefix(10).map { "- \($0)" } + (deviations.count > 10 ? ["- and \(deviations.count - 10) more"] : [])
  }
}
