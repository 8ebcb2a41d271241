internal import StreamSchedulers

/// A search for the smallest version of a failing run that still fails.
///
/// It removes events, in groups, one by one, and in pairs, because an event of one source may belong to an event of
/// another. It removes completions, shortens the times between events, rounds them to whole frames, and replaces
/// choices with simpler ones. It repeats this until nothing helps or the limit of runs is reached, so the result
/// depends only on the run and the code under test.
struct TimelineShrinking {
  private let shapes: [TimelineShape]
  private let frame: Int
  private let limit: Int
  private let fails: (DrawnRun) -> Bool
  private var tried: Set<DrawnRun> = []

  /// The smallest failing run so far.
  private(set) var smallest: DrawnRun

  private(set) var runCount = 0

  init(_ run: DrawnRun, shapes: [TimelineShape], frame: Int, limit: Int, fails: @escaping (DrawnRun) -> Bool) {
    smallest = run
    self.shapes = shapes
    self.frame = max(1, frame)
    self.limit = limit
    self.fails = fails
  }

  /// Makes the run as small as possible.
  mutating func shrink() {
    var last: DrawnRun?
    while last != smallest, runCount < limit {
      last = smallest
      simplifyOrder()
      // If the run fails without a value, and also without an end, the end goes first, because it's less common.
      removeEnds()
      removeEvents()
      shortenTimes()
      simplifyChoices()
      if last == smallest { removePairs() }
    }
  }

  /// Tries a change, and keeps it if the run still fails.
  @discardableResult
  private mutating func accept(_ change: (inout DrawnRun) -> Void) -> Bool {
    var candidate = smallest
    change(&candidate)
    if attempt(candidate) { return true }
    // With fewer events, the same seed produces a different task order.
    guard candidate.order != nil, candidate.eventCount(in: shapes) < smallest.eventCount(in: shapes) else {
      return false
    }
    return Self.otherOrders.contains { order in
      candidate.order = order
      return attempt(candidate)
    }
  }

  private mutating func attempt(_ candidate: DrawnRun) -> Bool {
    let isAllowed = zip(shapes, candidate.timelines).allSatisfy { $0.allows($1) }
    guard candidate != smallest, isAllowed, runCount < limit, tried.insert(candidate).inserted else { return false }
    runCount += 1
    guard fails(candidate) else { return false }
    smallest = candidate
    return true
  }

  private static let otherOrders = (1...6).flatMap { seed in
    [RunOrder.shuffled(seed: seed).replayString, RunOrder.prioritized(seed: seed).replayString]
  }

  private mutating func simplifyOrder() {
    accept { $0.order = nil }
    accept { $0.isReversed = false }
    accept { $0.hotEventsComeFirst = true }
  }

  // MARK: Removing

  private mutating func removeEvents() {
    for index in shapes.indices {
      var length = smallest.timelines[index].events.count
      while length > 0 {
        var start = 0
        while start + length <= smallest.timelines[index].events.count {
          let range = start..<start + length
          guard
            smallest.timelines[index].events.count - length >= shapes[index].eventCounts.lowerBound,
            accept({ $0.timelines[index].events.removeSubrange(range) })
          else {
            start += max(1, length / 2)
            continue
          }
        }
        length /= 2
      }
    }
  }

  private mutating func removePairs() {
    let positions = smallest.timelines.indices.flatMap { timeline in
      smallest.timelines[timeline].events.indices.map { (timeline, $0) }
    }
    for (position, first) in positions.enumerated() {
      for second in positions.dropFirst(position + 1) {
        let removed = [second, first]
        let areAllowed = shapes.indices.allSatisfy { index in
          smallest.timelines[index].events.count - removed.count { $0.0 == index }
            >= shapes[index].eventCounts.lowerBound
        }
        if areAllowed,
          accept({ run in for (timeline, index) in removed { run.timelines[timeline].events.remove(at: index) } })
        {
          return
        }
      }
    }
  }

  private mutating func removeEnds() {
    for index in shapes.indices {
      guard let end = smallest.timelines[index].end else { continue }
      if shapes[index].mayNotEnd, accept({ $0.timelines[index].end = nil }) { continue }
      if end.choice > 0, shapes[index].mayFinish, accept({ $0.timelines[index].end?.choice = 0 }) { continue }
      if end.choice > 1 { accept { $0.timelines[index].end?.choice = 1 } }
    }
  }

  // MARK: Times

  /// Shortens the time before each moment, first in all timelines together, and then in each one separately.
  private mutating func shortenTimes() {
    for group in [Array(shapes.indices)] + shapes.indices.map({ [$0] }) {
      let timed = group.filter { shapes[$0].hasTimes }
      if timed.isEmpty { continue }
      var before = 0
      while let moment = smallest.times(of: timed).first(where: { $0 > before }) {
        // Events that were moved to the previous moment aren't found again.
        before += shorten(moment - before) { [before] current, new, run in
          run.move(timed, from: before + current, by: new - current)
        }
      }
    }
  }

  /// Looks for the shortest duration, in whole frames if possible, with which the run fails, and returns it.
  ///
  /// - Parameter change: A closure that replaces the current duration with a new one in a run.
  @discardableResult
  private mutating func shorten(
    _ duration: Int, _ change: (_ current: Int, _ new: Int, inout DrawnRun) -> Void
  ) -> Int {
    var current = duration
    func isAccepted(_ new: Int, _ shrinking: inout Self) -> Bool {
      guard shrinking.accept({ change(current, new, &$0) }) else { return false }
      current = new
      return true
    }
    if isAccepted(0, &self) { return 0 }
    // If no whole number of frames makes the run fail, the fraction of a frame stays.
    var part = duration % frame
    if part != 0,
      isAccepted(duration / frame * frame, &self)
        || isAccepted(frame.multipliedSaturating(by: duration / frame + 1), &self)
    {
      part = 0
    }
    // As far as is known, the run passes with fewer than `low` frames. It fails with `high` frames.
    var (low, high) = (part == 0 ? 1 : 0, current / frame)
    while low < high {
      let middle = low + (high - low) / 2
      if isAccepted(middle * frame + part, &self) { high = middle } else { low = middle + 1 }
    }
    return current
  }

  // MARK: Choices

  private mutating func simplifyChoices() {
    for index in shapes.indices where shapes[index].kind != .moment {
      renumberChoices(of: index)
      for event in smallest.timelines[index].events.indices {
        let choice = smallest.timelines[index].events[event].choice
        if choice == 0 { continue }
        if shapes[index].kind == .delays {
          shorten(Int(choice)) { $2.timelines[index].events[event].choice = UInt64($1) }
        } else {
          simplify(choice) { $1.timelines[index].events[event].choice = $0 }
        }
      }
    }
  }

  /// Replaces the different choices with 0, 1, 2, and so on.
  private mutating func renumberChoices(of index: Int) {
    guard shapes[index].kind == .source else { return }
    var numbers: [UInt64: UInt64] = [:]
    for event in smallest.timelines[index].events where numbers[event.choice] == nil {
      numbers[event.choice] = UInt64(numbers.count)
    }
    accept { run in
      for event in run.timelines[index].events.indices {
        let choice = run.timelines[index].events[event].choice
        run.timelines[index].events[event].choice = numbers[choice] ?? choice
      }
    }
  }

  private mutating func simplify(_ choice: UInt64, _ change: (UInt64, inout DrawnRun) -> Void) {
    for simple in 0..<min(choice, 4) where accept({ change(simple, &$0) }) { return }
    var (low, high) = (UInt64(3), choice)
    while high > low, high - low > 1 {
      let middle = low + (high - low) / 2
      if accept({ change(middle, &$0) }) { high = middle } else { low = middle }
    }
  }
}

extension DrawnRun {
  /// Returns the times of all events of the given timelines, in order.
  fileprivate func times(of indices: [Int]) -> [Int] {
    indices.flatMap { index in
      timelines[index].events.map(\.time) + [timelines[index].end?.time].compactMap(\.self)
    }.sorted()
  }

  /// Moves the events at or after a time in the given timelines.
  fileprivate mutating func move(_ indices: [Int], from time: Int, by distance: Int) {
    for index in indices {
      for event in timelines[index].events.indices where timelines[index].events[event].time >= time {
        timelines[index].events[event].time += distance
      }
      if let end = timelines[index].end?.time, end >= time { timelines[index].end?.time += distance }
    }
  }
}
