import Dispatch
import StreamTesting
import Testing

@Suite struct CheckAllTimelinesTests {
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride

  /// The events of a source with their times in milliseconds.
  private func text<Output>(_ source: HotPublisher<Output, Never, Stride>) -> String {
    source.events.map { recorded in
      "\(recorded.time.nanoseconds / 1_000_000)\(recorded.value.map { "\($0)" } ?? "|")"
    }.joined(separator: " ")
  }

  @Test func `all timelines are tried, those with the fewest events first`() {
    var seen: [String] = []
    checkAllTimelines(of: .letters, upTo: 1, ties: .anyOrder) { scheduler, letters in
      seen.append(text(letters) + (scheduler.hotEventsComeFirst ? "" : " late"))
    }
    #expect(
      seen == ["", "0a", "0a late", "0|", "0| late", "1a", "1a late", "1|", "1| late"])

    var (larger, counts): (Set<String>, [Int]) = ([], [])
    checkAllTimelines(of: .letters.ending(.never)) { scheduler, letters in
      counts.append(letters.events.count)
      #expect(scheduler.hotEventsComeFirst && larger.insert(text(letters)).inserted)
    }
    #expect(counts == counts.sorted())
    // With no gap or a gap of one frame before each, there are one, two and five patterns of letters.
    #expect(larger.count == 1 + 2 + 4 * 2 + 8 * 5)
    #expect(larger.isSuperset(of: ["0a 0b 0a", "1a 2a 3b", "0a 1b 2c"]))
  }

  @Test func `the intervals for which the code waits are gaps and delays, a frame less and a frame more as well`() {
    var (gaps, delayed): (Set<Int>, Set<Int>) = ([], [])
    checkAllTimelines(of: .letters.ending(.never), .delays) { scheduler, letters, delays in
      for (one, next) in zip(letters.events, letters.events.dropFirst()) {
        gaps.insert((next.time - one.time).nanoseconds / 1_000_000)
      }
      delayed.insert(delays.next().nanoseconds / 1_000_000)
      let cancellable = letters.debounce(for: .milliseconds(20), scheduler: scheduler).sink { _ in }
      scheduler.run()
      cancellable.cancel()
    }
    #expect(gaps.isSuperset(of: [0, 1, 19, 20, 21]))
    #expect(delayed == [0, 1, 19, 20, 21])
  }

  @Test func `the rest of an interval is no interval`() {
    var runs = 0
    checkAllTimelines(of: .letters.ending(.never)) { scheduler, letters in
      runs += 1
      let cancellable = letters.throttle(for: .milliseconds(20), scheduler: scheduler, latest: true).sink { _ in }
      scheduler.run()
      cancellable.cancel()
    }
    // Only 19 ms was learned, after a frame. With five gaps before each event, and one, two and five patterns of letters.
    #expect(runs == 1 + 5 + 25 * 2 + 125 * 5)
  }

  @Test func `sources meet in either order, and values, moments and demands are tried`() {
    var seen: Set<String> = []
    checkAllTimelines(
      of: .values([true, false]), .numbers(0...20), .moment, .value(of: ["x", "y"]), upTo: 2, ties: .anyOrder
    ) {
      scheduler, values, numbers, moment, value in
      var log: [String] = []
      let cancellable = values.map { "\($0)" }.merge(with: numbers.map { "\($0)" }).sink {
        log.append("\($0) at \(scheduler.elapsed)")
      }
      scheduler.run()
      cancellable.cancel()
      seen.insert(log.joined(separator: ", "))
      seen.insert(value)
      seen.insert("\(moment as Any)")
    }
    #expect(
      seen.isSuperset(of: [
        "true at 1 ms, 7 at 1 ms", "7 at 1 ms, true at 1 ms", "0 at 0 s, false at 1 ms", "x", "y", "nil",
        "Optional(1 ms)",
      ]))
    #expect(!seen.contains { $0.hasPrefix("8 ") })

    var demands: Set<String> = []
    checkAllTimelines(of: .demand, upTo: 2) { _, demand in
      demands.insert("\(demand.initial) \(demand.perValue) \(demand.requests)")
    }
    #expect(demands.contains("unlimited max(0) []"))
    #expect(demands.contains("max(2) max(1) []"))
    #expect(demands.contains("max(1) max(0) [1 ms unlimited]"))
  }

  @Test func `a failure has the fewest events with which there is one`() throws {
    let (found, issues) = IssueReporter.withCapture {
      checkAllTimelines(of: .letters) { scheduler, letters in
        let values = letters.events.compactMap(\.value)
        if values == ["a", "b"] || values.count == 3 { throw TestError.first }
      }
    }
    let failure = try #require(found)
    #expect(failure.originalEventCount == 2)
    #expect(failure.diagram == "letters  (ab)")
    #expect(failure.test.contains("@Test func repeats_run\(failure.run)() throws {"))
    #expect(failure.test.contains("if values == [\"a\", \"b\"]"))
    #expect(issues.count == 1)
    #expect(issues.first?.message.contains("Run \(failure.run) of all timelines fails.") == true)
  }

  @Test func `more timelines than the limit are reported, and so are none`() {
    var runs = 0
    let (_, issues) = IssueReporter.withCapture {
      checkAllTimelines(of: .letters, limit: 20) { _, _ in runs += 1 }
    }
    #expect(runs == 20)
    #expect(issues.count == 1)
    #expect(issues.first?.message.hasPrefix("There are more than 20 timelines with at most 3 events") == true)

    let (_, others) = IssueReporter.withCapture {
      checkAllTimelines(of: .letters.count(4...5)) { _, _ in throw TestError.first }
    }
    #expect(others.map(\.message) == ["The generators allow no timeline with at most 3 events. Nothing was checked."])
  }

  @Test func `a longer frame finds what code does that compares dates`() {
    let (failure, _) = IssueReporter.withCapture {
      guard case .letters(let claim) = PlantedFault.staleCache.fails else { return TimelineFailure?.none }
      return checkAllTimelines(of: .letters, frame: .milliseconds(500)) { try claim($1, $0) }
    }
    #expect(failure?.eventCount == 3)
  }

  @Test func `a limit on times and a number of events less than zero are respected`() {
    var runs = 0
    checkAllTimelines(of: .letters.within(.milliseconds(1))) { _, letters in
      let latest = letters.events.map(\.time).max()
      #expect(latest ?? .zero <= .milliseconds(1))
    }
    checkAllTimelines(of: .letters, upTo: -1) { _, letters in runs += letters.events.isEmpty ? 1 : 2 }
    #expect(runs == 1)
  }

  @Test func `asynchronous closures run in worlds of their own`() async {
    var runs = 0
    await checkAllTimelines(of: .cold(.letters.ending(.always)), upTo: 2) { scheduler, letters in
      MainActor.assertIsolated()
      runs += 1
      var count = 0
      for await _ in letters.values { count += 1 }
      #expect(count == letters.events.count - 1)
      try await scheduler.clock.sleep(for: .seconds(3))
    }
    #expect(runs > 5)
  }
}
