internal import StreamSchedulers

/// Makes the choices of a failing run smaller: as many as possible become zero, which is the order in which the work was
/// scheduled.
///
/// Choices become zero in groups, first half of all, and then one by one, until none of the rest can be zero. As long
/// as more than one is left, each order with a single other choice is tried, too. The result depends on nothing but the
/// runs, whose number is limited.
struct OrderShrinker {
  /// Runs with given choices, and returns the choices of the run and whether it failed in the same way.
  typealias Run = ([Int]) -> (record: ChoiceRecord, fails: Bool)

  /// The number of runs to make a failing order smaller.
  static let maximumRuns = 200

  /// The choices of the smallest failing run, from the first to the last that isn't zero.
  private(set) var script: [Int]

  /// The record of the run with these choices, or `nil` if they haven't been found to fail.
  private(set) var record: ChoiceRecord?

  private(set) var runCount = 0

  /// The choices of all runs.
  private var tried: Set<[Int]> = []

  /// The number of possibilities of each choice of that run.
  private var counts: [Int]

  /// The number of choices that further runs may make, so that an order in which the work never ends costs little.
  private var choicesLeft: Int

  init(_ choices: [Choice]) {
    script = Self.trimmed(choices.map(\.index))
    counts = choices.map(\.count)
    choicesLeft = Self.maximumRuns * (choices.count + 100)
  }

  /// Makes the choices smaller, if a run with them fails again.
  mutating func shrink(_ run: Run) {
    guard attempt(script, run) else { return }
    repeat {} while makeZero(run) && makeLess(run)
    trySingleChoices(run)
  }

  /// The positions of the choices that aren't zero.
  private var deviations: [Int] { script.indices.filter { script[$0] != 0 } }

  /// Makes choices zero until none of them can be. Returns whether that changed anything.
  private mutating func makeZero(_ run: Run) -> Bool {
    var hasChanged = false
    var size = (deviations.count + 1) / 2
    while size > 0 {
      // From the end, because a choice decides what the later ones are about.
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

  /// Makes choices that can't be zero smaller. Returns whether that changed anything.
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

  /// Makes a run, and keeps its choices if it fails and they're smaller.
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
    // Choices that are out of range are made as if they were zero. With several schedulers, which all make the same
    // choices, the record contains those of all, which need not fail.
    _ = attempt(choices.map(\.index), run)
    return true
  }

  private func isSmaller(_ wanted: [Int]) -> Bool {
    Self.size(wanted).lexicographicallyPrecedes(Self.size(script))
  }

  private static func trimmed(_ choices: [Int]) -> [Int] {
    Array(choices[..<((choices.lastIndex { $0 != 0 } ?? -1) + 1)])
  }

  /// The number of choices that aren't zero, their sum, and the number of all.
  private static func size(_ script: [Int]) -> [Int] {
    [script.count { $0 != 0 }, script.reduce(0, +), script.count]
  }
}

extension RunWatch {
  /// Makes the choices of a run that fails at an origin smaller, in runs of which nothing is reported.
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

  /// Performs a run without reporting anything. If it fails, makes its order smaller, and reports the run of the smallest
  /// order.
  func smallestFailure(
    ofRun number: Int, in order: RunOrder, at location: CodeLocation, _ body: (RunOrder) throws -> Void
  ) -> ExploredFailure? {
    guard let record = order.record, let found = quietFailure(keepingWarnings: true, of: { try body(order) }) else {
      return nil
    }
    let shrinker = shrunkOrder(record.all, failingAt: found.origin, body)
    // Where the choices alone do not make a run fail, as with several schedulers, the order is the one that was found.
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

  /// Lines on how an order was found, and in which choices it differs from the usual one.
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
