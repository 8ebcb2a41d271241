import StreamSchedulers
import Testing

@testable import StreamTesting

// `@testable`: shrinking by itself, with failures that no stream has.

@Suite struct TimelineShrinkingTests {
  private static let frame = 1_000_000

  private let letters: TimelineShape = {
    var shape = TimelineShape(kind: .source)
    shape.choiceCount = 26
    shape.mayFinish = true
    shape.failureCount = 2
    return shape
  }()

  private func source(_ events: [(time: Int, choice: UInt64)], end: (time: Int, choice: UInt64)? = nil) -> DrawnTimeline
  {
    DrawnTimeline(
      events: events.map { DrawnTimeline.Event(time: $0.time, choice: $0.choice) },
      end: end.map { DrawnTimeline.Event(time: $0.time, choice: $0.choice) })
  }

  private func shrink(
    _ run: DrawnRun, _ shapes: [TimelineShape], limit: Int = 1_000, _ fails: @escaping (DrawnRun) -> Bool
  ) -> TimelineShrinking {
    var shrinking = TimelineShrinking(run, shapes: shapes, frame: Self.frame, limit: limit, fails: fails)
    shrinking.shrink()
    return shrinking
  }

  private let large = DrawnRun(
    timelines: [
      DrawnTimeline(
        events: (0..<12).map { DrawnTimeline.Event(time: $0 * 7_300_001, choice: UInt64($0 + 5)) },
        end: DrawnTimeline.Event(time: 100_000_000, choice: 2))
    ], order: "shuffled-9", isReversed: true)

  @Test func `what does not matter is removed`() {
    let shrinking = shrink(large, [letters]) { _ in true }
    #expect(shrinking.smallest == DrawnRun(timelines: [DrawnTimeline()]))
    #expect(shrinking.runCount <= 10)
  }

  @Test func `what matters is kept`() {
    let shrinking = shrink(large, [letters]) { run in
      run.order == "shuffled-9" && run.isReversed && run.timelines[0].events.contains { $0.choice == 8 }
        && run.timelines[0].end?.choice == 2
    }
    #expect(
      shrinking.smallest
        == DrawnRun(timelines: [source([(0, 8)], end: (0, 2))], order: "shuffled-9", isReversed: true))
  }

  @Test func `a failure becomes the first one, or a normal end`() {
    #expect(shrink(large, [letters]) { $0.timelines[0].end != nil }.smallest.timelines[0].end?.choice == 0)
    #expect(shrink(large, [letters]) { ($0.timelines[0].end?.choice ?? 0) > 0 }.smallest.timelines[0].end?.choice == 1)
  }

  @Test func `times are shortened to the smallest number of frames`() {
    let shrinking = shrink(large, [letters]) { run in
      let times = run.timelines[0].events.map(\.time)
      return zip(times, times.dropFirst()).contains { $1 - $0 >= 5_500_000 }
    }
    #expect(shrinking.smallest.timelines[0] == source([(0, 0), (6_000_000, 0)]))
  }

  @Test func `a time that must not be whole loses whole frames`() {
    let shrinking = shrink(large, [letters]) { run in
      run.timelines[0].events.contains { $0.time % 100 == 1 && $0.time > 2_000_000 }
    }
    #expect(shrinking.smallest.timelines[0].events.map(\.time) == [2_300_001])
  }

  @Test func `the gaps between events of different sources are shortened together`() {
    let run = DrawnRun(timelines: [source([(50_000_000, 0)]), source([(90_000_000, 0)])])
    let shrinking = shrink(run, [letters, letters]) { run in
      guard let first = run.timelines[0].events.first?.time, let second = run.timelines[1].events.first?.time else {
        return false
      }
      return second - first >= 3_000_000 && second - first <= 50_000_000
    }
    #expect(shrinking.smallest.timelines == [source([(0, 0)]), source([(3_000_000, 0)])])
  }

  @Test func `different values become the first different ones`() {
    let run = DrawnRun(timelines: [source([(0, 20), (0, 9), (0, 20)])])
    let shrinking = shrink(run, [letters]) { run in
      let choices = run.timelines[0].events.map(\.choice)
      return choices.count == 3 && choices[0] == choices[2] && choices[0] != choices[1]
    }
    #expect(shrinking.smallest.timelines[0].events.map(\.choice) == [0, 1, 0])
  }

  @Test func `a large choice is halved`() {
    var shape = TimelineShape(kind: .value)
    shape.eventCounts = 1...1
    shape.choiceCount = 1_000_000
    let shrinking = shrink(DrawnRun(timelines: [source([(0, 777_777)])]), [shape]) { run in
      run.timelines[0].events[0].choice >= 1234
    }
    #expect(shrinking.smallest.timelines[0].events.map(\.choice) == [1234])
    #expect(shrinking.runCount < 40)
  }

  @Test func `no timeline gets fewer events than its generator allows`() {
    var shape = letters
    shape.eventCounts = 2...12
    let shrinking = shrink(large, [shape]) { run in
      #expect(run.timelines[0].events.count >= 2)
      return true
    }
    #expect(shrinking.smallest.timelines[0].events.count == 2)
  }

  @Test func `no time is rounded up beyond what its generator allows`() {
    var shape = letters
    shape.longest = 2_500_000
    let shrinking = shrink(DrawnRun(timelines: [source([(2_400_000, 0)])]), [shape]) { run in
      run.timelines[0].events.contains { $0.time > 2_300_000 }
    }
    #expect(shrinking.smallest.timelines[0].events.map(\.time) == [2_400_000])
  }

  @Test func `an end that is required stays`() {
    var shape = letters
    shape.mayNotEnd = false
    let shrinking = shrink(large, [shape]) { run in
      #expect(run.timelines[0].end != nil)
      return true
    }
    #expect(shrinking.smallest.timelines == [source([], end: (0, 0))])
  }

  @Test func `events that only two sources can lose together are removed`() {
    // As many letters as delays, or nothing fails.
    let delays = TimelineShape(kind: .delays)
    let run = DrawnRun(timelines: [
      source((0..<4).map { (0, UInt64($0)) }), source((0..<4).map { _ in (0, 9_000_000) }),
    ])
    let shrinking = shrink(run, [letters, delays]) { run in
      run.timelines[0].events.count == run.timelines[1].events.count && !run.timelines[0].events.isEmpty
    }
    #expect(shrinking.smallest.timelines == [source([(0, 0)]), source([(0, 0)])])
  }

  @Test func `no more runs are made than allowed`() {
    var count = 0
    let shrinking = shrink(large, [letters], limit: 7) { _ in
      count += 1
      return false
    }
    #expect(count == 7)
    #expect(shrinking.runCount == 7)
    #expect(shrinking.smallest == large)
  }

  @Test func `no run is made twice`() {
    var seen: Set<DrawnRun> = [large]
    _ = shrink(large, [letters]) { run in
      #expect(seen.insert(run).inserted)
      return run.timelines[0].events.count > 4
    }
  }

  // MARK: What a shape allows

  @Test func `a shape allows only what its generator can draw`() {
    var shape = letters
    shape.eventCounts = 1...2
    #expect(shape.allows(source([(0, 25)], end: (5, 2))))
    #expect(shape.allows(source([(0, 0), (0, 0)])))
    // A run that another check left at the same line, whose arguments have other values.
    #expect(!shape.allows(source([(0, 26)])))
    #expect(!shape.allows(source([(0, .max)])))
    #expect(!shape.allows(source([])))
    #expect(!shape.allows(source([(0, 0), (0, 0), (0, 0)])))
    #expect(!shape.allows(source([(-1, 0)])))
    #expect(!shape.allows(source([(0, 0)], end: (0, 3))))
    shape.longest = 4
    #expect(shape.allows(source([(4, 0)])))
    #expect(!shape.allows(source([(5, 0)])))
    #expect(!shape.allows(source([(4, 0)], end: (5, 0))))
    shape.longest = nil
    shape.mayFinish = false
    #expect(!shape.allows(source([(0, 0)], end: (0, 0))))
    shape.mayNotEnd = false
    #expect(!shape.allows(source([(0, 0)])))

    let delays = TimelineShape(kind: .delays)
    #expect(delays.allows(source([(0, 5)])))
    #expect(!delays.allows(source([(0, .max)])))
    #expect(!delays.allows(source([(1, 5)])))
    #expect(!delays.allows(source([(0, 5)], end: (0, 0))))
    #expect(TimelineShape(kind: .demand).allows(source([(3, 5)], end: (0, 1))))
    #expect(!TimelineShape(kind: .demand).allows(source([(3, .max)])))
  }
}
