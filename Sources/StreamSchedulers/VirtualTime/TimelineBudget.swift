/// Limits on the number of actions that one call may run before it gives up.
package struct TimelineBudget {
  var actions = 1_000_000
  var actionsPerInstant = 100_000

  package init() {}
}

/// The busiest actions of a call that exceeded its budget.
package struct TimelineExcess {
  struct Line {
    let interval: Int?
    let count: Int
    let first: Int
    let last: Int
  }

  let limit: TimelineLimit
  let now: Int
  let busiest: [Line]
}

enum TimelineLimit {
  case actions(Int)
  case actionsAtInstant(Int)

  /// The numbers of actions that tasks armed and cancelled at one date.
  case unrest(armed: Int, cancelled: Int)
}

extension Agenda {
  /// The number and the dates of an action's runs since a call to the timeline began.
  struct ActionTally {
    var count = 0
    var countAtLast = 0
    var first: Int
    var last: Int
    var since = -1

    init(_ date: Int) {
      first = date
      last = date
    }

    mutating func count(_ date: Int, ordinal: Int, since start: Int) {
      if since < start {
        self = ActionTally(date)
        since = ordinal
      } else if last < date {
        countAtLast = 0
        last = date
      }
      count &+= 1
      countAtLast &+= 1
    }
  }

  func exceededLimit(of budget: TimelineBudget, at date: Int) -> TimelineLimit? {
    let count = runCount &- runCountAtStart
    if count >= budget.actions { return .actions(count) }
    let atInstant = runCount &- max(runCountAtInstant, runCountAtStart)
    return atInstant >= budget.actionsPerInstant && !(now < date) ? .actionsAtInstant(atInstant) : nil
  }

  /// Returns the actions that have run most often since the outermost call began or, depending on the limit, at the current
  /// date. Returns `nil` if they have already been returned.
  mutating func takeExcess(_ limit: TimelineLimit) -> TimelineExcess? {
    guard !hasExceeded else { return nil }
    hasExceeded = true
    let tallies = [(nil, once)] + repetitions.map { (Optional($0.interval), $0.tally) }
    let lines = tallies.compactMap { interval, tally -> TimelineExcess.Line? in
      guard tally.since >= runCountAtStart else { return nil }
      switch limit {
      case .actions:
        return .init(interval: interval, count: tally.count, first: tally.first, last: tally.last)
      case .actionsAtInstant, .unrest:
        guard tally.last == now else { return nil }
        return .init(interval: interval, count: tally.countAtLast, first: now, last: now)
      }
    }
    return TimelineExcess(limit: limit, now: now, busiest: Array(lines.sorted { $0.count > $1.count }.prefix(5)))
  }
}

extension TimelineExcess {
  /// The excess as the text of an issue.
  package var description: String {
    func date(_ nanoseconds: Int) -> String { DurationText.described(nanoseconds) }
    let heading =
      switch limit {
      case .actions(let count):
        "Time stopped at \(date(now)) after \(count) actions in one call, because more are due."
      case .actionsAtInstant(let count):
        "Time stopped at \(date(now)) after \(count) actions at that instant, because more are due."
      case .unrest(let armed, let cancelled):
        "Time stopped at \(date(now)), because tasks never become idle: at this instant, they armed \(armed) actions "
          + "and cancelled \(cancelled)."
      }
    guard !busiest.isEmpty else { return heading }
    return busiest.reduce("\(heading) The busiest actions:") { text, line in
      let work = line.interval.map { "an action every \(DurationText.described($0))" } ?? "actions without an interval"
      let dates =
        line.first == line.last ? "at \(date(line.last))" : "from \(date(line.first)) to \(date(line.last))"
      return "\(text)\n- \(work), run \(line.count) times, \(dates)"
    }
  }
}
