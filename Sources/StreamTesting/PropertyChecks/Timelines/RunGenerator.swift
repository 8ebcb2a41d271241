internal import StreamSchedulers

/// A generator of random runs, with times at which code that waits is likely to fail.
///
/// Times aren't spread evenly. Events come at the same moment, one frame apart, in bursts, at a steady rhythm, and after silence.
/// Events of several sources coincide. Some gaps are intervals for which the code under test was seen to wait, or slightly
/// shorter or longer. A run's others have one magnitude, from one frame to a thousand, for code that compares dates instead. All
/// times are within their timeline.
struct RunGenerator {
  private var random: SplitMix

  /// The largest number of events of an argument, unless its generator requires more.
  private let size: Int

  /// The duration of a frame, and the intervals for which the code under test waits, both in nanoseconds.
  private let frame: Int
  private let intervals: [Int]

  /// The largest time and the longest delay, in nanoseconds, unless a generator has a limit of its own.
  private let longest: Int

  /// The manner in which a run's gaps are drawn.
  private enum Mood {
    case mixed
    case bursts
    case rhythm(Int)
  }

  private var mood = Mood.mixed

  /// The magnitude of a run's gaps.
  private var scale = 1

  /// Indicates whether the values of a run are usually different.
  private var prefersNewChoices = true

  init(seed: UInt64, size: Int, frame: Int, intervals: [Int], longest: Int) {
    random = SplitMix(state: seed)
    self.size = size
    self.frame = max(1, frame)
    self.intervals = intervals
    self.longest = longest
  }

  mutating func run(of shapes: [TimelineShape]) -> DrawnRun {
    scale = frame.multipliedSaturating(by: [1, 1, 10, 100, 100, 1_000, 1_000][number(in: 0...6)])
    switch random.next() % 8 {
    case 0, 1: mood = .bursts
    case 2: mood = .rhythm(max(frame, gap()))
    default: mood = .mixed
    }
    prefersNewChoices = chance(2, in: 3)
    var run = DrawnRun(timelines: [])
    for shape in shapes {
      let meeting = run.timelines.flatMap { $0.events.map(\.time) }
      run.timelines.append(timeline(of: shape, meeting: meeting))
    }
    let seed = random.next() % 1_000_000
    switch random.next() % 4 {
    case 0: run.order = RunOrder.shuffled(seed: seed).replayString
    case 1: run.order = RunOrder.prioritized(seed: seed).replayString
    default: break
    }
    run.isReversed = shapes.count > 1 && random.next() % 2 == 0
    run.hotEventsComeFirst = !shapes.contains { $0.kind == .source } || random.next() % 2 == 0
    return run
  }

  private mutating func timeline(of shape: TimelineShape, meeting others: [Int]) -> DrawnTimeline {
    var timeline = DrawnTimeline()
    let longest = shape.longest ?? longest
    let count = number(
      in: shape.eventCounts.lowerBound...max(shape.eventCounts.lowerBound, min(size, shape.eventCounts.upperBound)))
    var time = 0
    for _ in 0..<count {
      if shape.hasTimes {
        time = timeline.events.isEmpty && chance(1, in: 3) ? 0 : time + gap(atMost: longest - time)
      }
      let choice = choice(for: shape, after: timeline.events, longest)
      timeline.events.append(DrawnTimeline.Event(time: time, choice: choice))
    }
    if shape.hasTimes { meet(others.filter { $0 <= longest }, in: &timeline, longest) }
    timeline.end = end(for: shape, at: timeline.events.last?.time ?? 0, longest)
    return timeline
  }

  /// Moves some events to the times of other sources' events, or near them.
  private mutating func meet(_ others: [Int], in timeline: inout DrawnTimeline, _ longest: Int) {
    if others.isEmpty { return }
    for index in timeline.events.indices where chance(2, in: 5) {
      let meeting = others[number(in: 0...others.count - 1)]
      timeline.events[index].time = chance(1, in: 2) ? meeting : meeting + gap(atMost: longest - meeting)
    }
    timeline.events.sort { $0.time < $1.time }
  }

  private mutating func end(for shape: TimelineShape, at time: Int, _ longest: Int) -> DrawnTimeline.Event? {
    if shape.kind == .demand {
      // Requests one or two more values with each value.
      return chance(1, in: 3) ? DrawnTimeline.Event(time: 0, choice: 1 + random.next() % 2) : nil
    }
    guard shape.mayFinish || shape.failureCount > 0, !shape.mayNotEnd || chance(3, in: 5) else { return nil }
    let fails = !shape.mayFinish || shape.failureCount > 0 && chance(1, in: 2)
    return DrawnTimeline.Event(
      time: time + gap(atMost: longest - time), choice: fails ? 1 + random.next() % shape.failureCount : 0)
  }

  private mutating func choice(
    for shape: TimelineShape, after events: [DrawnTimeline.Event], _ longest: Int
  ) -> UInt64 {
    switch shape.kind {
    case .delays: return UInt64(gap(atMost: longest))
    case .demand: return chance(1, in: 6) ? 0 : 1 + random.next() % 3
    case .moment: return 0
    case .value, .source:
      if prefersNewChoices, shape.prefersNewChoices, chance(3, in: 4) {
        return min((events.map(\.choice).max().map { $0 + 1 }) ?? 0, shape.choiceCount - 1)
      }
      if let last = events.last, chance(1, in: 4) { return last.choice }
      // Small choices are simple. Among only a few of them, equal values occur.
      let choiceBound =
        chance(1, in: 2) ? min(shape.choiceCount, prefersNewChoices ? UInt64(size) : 2) : shape.choiceCount
      return random.next() % max(1, choiceBound)
    }
  }

  /// Draws the time between two events, at most the time that's left.
  private mutating func gap(atMost rest: Int) -> Int {
    let gap = gap()
    return gap <= rest ? gap : number(in: 0...rest / frame) * frame
  }

  /// Draws the time between two events.
  private mutating func gap() -> Int {
    switch mood {
    case .bursts where chance(3, in: 5): return 0
    case .rhythm(let gap) where chance(4, in: 5): return gap
    default: break
    }
    switch random.next() % 20 {
    case 0...2: return 0
    case 3...4: return frame
    case 5...12: return intervals.isEmpty ? scale.multipliedSaturating(by: number(in: 1...10)) : gapAroundInterval()
    case 13...18: return scale.multipliedSaturating(by: number(in: 1...10))
    default: return (intervals.max() ?? scale).multipliedSaturating(by: number(in: 2...10))
    }
  }

  /// Draws a gap that's as long as an interval of the code under test, slightly shorter or longer, or a fraction of it.
  private mutating func gapAroundInterval() -> Int {
    let interval = intervals[number(in: 0...intervals.count - 1)]
    let gap =
      switch random.next() % 8 {
      case 0, 1: interval
      case 2: interval - frame
      case 3: interval.addingSaturating(frame)
      case 4: interval - 1
      case 5: interval + 1
      case 6: interval / 2 / frame * frame
      default: number(in: 0...max(1, interval / frame)) * frame
      }
    return max(0, gap)
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(random.next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  private mutating func chance(_ part: UInt64, in whole: UInt64) -> Bool { random.next() % whole < part }
}
