internal import StreamSchedulers

/// All runs with a given number of events and with gaps from a list.
///
/// Letters take all patterns of equal and different letters. Other generators use their eight simplest values. If
/// requested, simultaneous sources send in either order, and before or after timers. Simultaneous tasks run in the
/// order in which they were scheduled.
struct RunEnumeration {
  private let shapes: [TimelineShape]

  /// The times between two events, and the delays, in nanoseconds.
  private let gaps: [Int]

  private let ties: TimelineTies

  private static let mostChoices: UInt64 = 8

  /// Creates the runs in which each gap is zero, a frame, or an interval of the code under test, give or take a frame.
  init(_ shapes: [TimelineShape], frame: Int, intervals: [Int], _ ties: TimelineTies) {
    self.shapes = shapes
    self.ties = ties
    let around = intervals.flatMap { [$0 - frame, $0, $0.addingSaturating(frame)] }
    gaps = Set([0, frame] + around).filter { $0 >= 0 }.sorted()
  }

  /// Calls a closure with each run of a given number of events, the simplest first, until it returns `false`.
  ///
  /// - Returns: `true` if the closure has returned `true` for all runs.
  func allSatisfy(eventCount: Int, _ body: (DrawnRun) -> Bool) -> Bool {
    let empty = DrawnRun(timelines: shapes.map { _ in DrawnTimeline() })
    return extend(empty, by: eventCount, after: (0, 0), withTimes: true) { run in
      addValues(to: run, from: 0) { run in
        let isAllowed = zip(shapes, run.timelines).allSatisfy { $0.allows($1) && !Self.endsWithNoDelay($0, $1) }
        return !isAllowed || variants(of: run).allSatisfy(body)
      }
    }
  }

  /// Returns whether the last delay is zero. It's redundant, because delays are zero after the last one.
  private static func endsWithNoDelay(_ shape: TimelineShape, _ timeline: DrawnTimeline) -> Bool {
    shape.kind == .delays && timeline.events.last?.choice == 0
  }

  /// Adds events that aren't before the last one: first those with times, and then the others.
  ///
  /// - Parameter last: The time of the last event and the index of its argument. An event of an earlier argument at the
  ///   same time would have been added before it.
  private func extend(
    _ run: DrawnRun, by count: Int, after last: (time: Int, index: Int), withTimes: Bool, _ body: (DrawnRun) -> Bool
  ) -> Bool {
    if count == 0 { return body(run) }
    func append(_ event: DrawnTimeline.Event, to index: Int, isEnd: Bool = false) -> Bool {
      var longer = run
      if isEnd { longer.timelines[index].end = event } else { longer.timelines[index].events.append(event) }
      let isTimed = shapes[index].hasTimes && !(isEnd && shapes[index].kind == .demand)
      return extend(
        longer, by: count - 1, after: (isTimed ? event.time : last.time, index), withTimes: isTimed, body)
    }
    for gap in withTimes ? gaps : [] {
      let time = last.time.addingSaturating(gap)
      for (index, shape) in shapes.enumerated() where shape.hasTimes && (gap > 0 || index >= last.index) {
        if shape.kind == .source, run.timelines[index].end != nil { continue }
        for choice in choices(for: shape, after: run.timelines[index].events) {
          guard append(.init(time: time, choice: choice), to: index) else { return false }
        }
        for end in ends(of: shape) {
          guard append(.init(time: time, choice: end), to: index, isEnd: true) else { return false }
        }
      }
    }
    for (index, shape) in shapes.enumerated() where withTimes || index >= last.index {
      if shape.kind == .delays {
        for gap in gaps { guard append(.init(time: 0, choice: UInt64(gap)), to: index) else { return false } }
      } else if shape.kind == .demand, run.timelines[index].end == nil {
        guard append(.init(time: 0, choice: 1), to: index, isEnd: true) else { return false }
      }
    }
    return true
  }

  private func choices(for shape: TimelineShape, after events: [DrawnTimeline.Event]) -> Range<UInt64> {
    switch shape.kind {
    case .source where shape.prefersNewChoices:
      0..<min(shape.choiceCount, (events.map(\.choice).max().map { $0 + 2 }) ?? 1)
    case .source, .value: 0..<min(shape.choiceCount, Self.mostChoices)
    // Unlimited demand, one value, or two.
    case .demand: 0..<3
    case .moment: 0..<(events.isEmpty ? 1 : 0)
    case .delays: 0..<0
    }
  }

  private func ends(of shape: TimelineShape) -> [UInt64] {
    guard shape.kind == .source else { return [] }
    return (shape.mayFinish ? [0] : []) + (0..<shape.failureCount).map { $0 + 1 }
  }

  /// Chooses the single values, which aren't events.
  private func addValues(to run: DrawnRun, from index: Int, _ body: (DrawnRun) -> Bool) -> Bool {
    guard let index = shapes.indices.dropFirst(index).first(where: { shapes[$0].kind == .value }) else {
      return body(run)
    }
    return choices(for: shapes[index], after: []).allSatisfy { choice in
      var chosen = run
      chosen.timelines[index].events = [.init(time: 0, choice: choice)]
      return addValues(to: chosen, from: index + 1, body)
    }
  }

  /// Returns the run and, where it can matter, the same events with sources in reverse order or timers first.
  private func variants(of run: DrawnRun) -> [DrawnRun] {
    let times = shapes.indices.map { shapes[$0].kind == .source ? run.timelines[$0].durations(of: .source) : [] }
    let all = times.flatMap { Set($0) }
    if ties == .inOrder { return [run] }
    var variants = [run]
    if Set(all).count < all.count {
      var reversed = run
      reversed.isReversed = true
      variants.append(reversed)
    }
    if all.isEmpty { return variants }
    return variants
      + variants.map { variant in
        var late = variant
        late.hotEventsComeFirst = false
        return late
      }
  }
}
