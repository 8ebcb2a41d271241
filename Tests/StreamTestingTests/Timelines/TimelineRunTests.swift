import Dispatch
import Foundation
import StreamTesting
import Testing

/// What the runs of a check are like: their timelines, worlds, and rules.
@Suite struct TimelineRunTests {
  typealias Stride = DispatchQueue.SchedulerTimeType.Stride

  /// Returns the failure of a check, without reporting it.
  private func failure(
    sourceLocation: SourceLocation = #_sourceLocation, _ check: () -> TimelineFailure?
  ) throws -> TimelineFailure {
    let failure = IssueReporter.withCapture(check).result
    return try #require(
      failure, "No run of the check made its closure throw, as one must.", sourceLocation: sourceLocation)
  }

  // MARK: Timelines

  @Test func `small timelines come first, and larger ones later`() {
    var counts: [Int] = []
    checkTimelines(of: .letters, runs: 500) { _, letters in counts.append(letters.events.count) }
    #expect(counts.prefix(10).allSatisfy { $0 <= 3 })
    #expect(counts.contains(0))
    #expect(counts.max() == 13)
  }

  @Test func `timelines have ties, gaps of one frame, repetitions, ends and no ends`() {
    var seen: Set<String> = []
    checkTimelines(of: .letters, runs: 300) { _, letters in
      for (one, next) in zip(letters.events, letters.events.dropFirst()) {
        if one.time == next.time { seen.insert("tie") }
        if next.time - one.time == .milliseconds(1) { seen.insert("frame") }
        if next.time - one.time > .seconds(1) { seen.insert("silence") }
        if case (.next(let a), .next(let b)) = (one.event, next.event), a == b { seen.insert("repetition") }
      }
      if case .completion? = letters.events.last?.event { seen.insert("end") } else { seen.insert("no end") }
      if letters.events.first?.time == .zero { seen.insert("beginning") }
    }
    #expect(seen == ["tie", "frame", "silence", "repetition", "end", "no end", "beginning"])
  }

  @Test func `a timeline lasts at most ten of the longest interval of the code, also if that waits for what was drawn`()
  {
    var (last, count) = (Stride.zero, 0)
    checkTimelines(of: .letters, .cold(.letters), .delays, .moment) { scheduler, letters, cold, delays, moment in
      count += 1
      if count > 20 {
        last = max(last, moment ?? .zero, delays.next())
        last = max(last, letters.events.last?.time ?? .zero, cold.events.last?.time ?? .zero)
      }
      use(letters, cold, delays, scheduler)
    }
    #expect(last > .milliseconds(150) && last <= .milliseconds(200))
  }

  /// Waits for 20 ms, and for what was drawn.
  private func use(
    _ letters: HotPublisher<String, Never, Stride>, _ cold: ColdPublisher<String, Never, Stride>,
    _ delays: TimelineDelays, _ scheduler: TestSchedulerOf<DispatchQueue>
  ) {
    let cancellable = letters.debounce(for: .milliseconds(20), scheduler: scheduler).merge(with: cold)
      .flatMap { Just($0).delay(for: delays.next(), scheduler: scheduler) }.sink { _ in }
    scheduler.run()
    cancellable.cancel()
  }

  @Test
  func
    `a timeline lasts at most ten thousand frames if the code does not wait, also if it waits for twice what was drawn`()
  {
    var (last, longest) = (Stride.zero, Stride.zero)
    checkTimelines(of: .letters, .delays) { scheduler, letters, delays in
      last = max(last, letters.events.last?.time ?? .zero)
    }
    checkTimelines(of: .letters, .delays) { scheduler, letters, delays in
      let delay = delays.next()
      longest = max(longest, delay)
      scheduler.schedule(after: scheduler.now.advanced(by: delay + delay)) {}
      scheduler.run()
    }
    #expect(last > .seconds(5) && last <= .seconds(10))
    #expect(longest <= .seconds(200))
  }

  @Test func `a generator can limit the times of its events`() {
    let limit = Stride.milliseconds(30)
    checkTimelines(
      of: .letters.within(limit), .delays.within(limit), .moment.within(limit), .demand.within(limit)
    ) { _, letters, delays, moment, demand in
      #expect(letters.events.allSatisfy { $0.time <= limit })
      #expect(delays.next() <= limit && delays.next() <= limit)
      #expect(moment ?? .zero <= limit)
      #expect(demand.requests.allSatisfy { $0.time <= limit })
    }
    var last = Stride.zero
    checkTimelines(of: .letters.within(.seconds(1_000)), .numbers(0...9).within(.milliseconds(-1))) {
      _, letters, numbers in
      last = max(last, letters.events.last?.time ?? .zero)
      #expect(numbers.events.allSatisfy { $0.time == .zero })
    }
    #expect(last > .seconds(10))
  }

  @Test func `a run that uses up its budget fails and says so`() throws {
    let endless = try failure {
      checkTimelines(of: .letters) { scheduler, _ in
        let timer = scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {}
        scheduler.run()
        timer.cancel()
      }
    }
    #expect(endless.reason.contains("Time stopped at 99.999 s after 100000 actions in one call"))
    #expect(endless.reason.contains("an action every 1 ms, run 100000 times"))

    var timers: [any Cancellable] = []
    let leak = try failure {
      checkTimelines(of: .letters) { scheduler, letters in
        let cancellable = letters.sink { _ in }
        timers.append(scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) { _ = cancellable })
      }
    }
    #expect(leak.reason.contains("its budget is used up: ten thousand further actions have run, and more are pending"))
    for timer in timers { timer.cancel() }
  }

  @Test(arguments: [-1, 0, 1])
  func `gaps around the intervals for which the code waits are drawn`(difference: Int) throws {
    let interval = 12_345_678
    let failure = try failure {
      checkTimelines(of: .letters) { scheduler, letters in
        let cancellable = letters.delay(for: .nanoseconds(interval), scheduler: scheduler).sink { _ in }
        scheduler.run()
        cancellable.cancel()
        for (one, next) in zip(letters.events, letters.events.dropFirst())
        where (next.time - one.time).nanoseconds == interval + difference { throw TestError.first }
      }
    }
    #expect(failure.eventCount == 2)
  }

  @Test func `events of several sources meet, and either source is first`() throws {
    let failure = try failure {
      checkTimelines(of: .letters, .numbers(0...3), ties: .anyOrder) { scheduler, letters, numbers in
        var log: [String] = []
        let cancellable = letters.map { _ in "letter" }.merge(with: numbers.map { _ in "number" })
          .sink { log.append("\($0) \(scheduler.elapsed.nanoseconds)") }
        scheduler.run()
        cancellable.cancel()
        for (one, next) in zip(log, log.dropFirst())
        where one.hasPrefix("number") && next == one.replacing("number", with: "letter") { throw TestError.first }
      }
    }
    #expect(failure.eventCount == 2)
    let lines = failure.test.split(separator: "\n").filter { $0.contains("scheduler.hot") }
    #expect(lines.first?.contains("let numbers") == true)
    #expect(failure.diagram == "letters  a\nnumbers  0")
  }

  @Test(arguments: [TimelineTies.anyOrder, .inOrder])
  func `a timer comes before a source's event of the same instant only if both orders are asked for`(
    _ ties: TimelineTies
  ) {
    var (timerFirst, letterFirst) = (0, 0)
    checkTimelines(of: .letters, ties: ties) { scheduler, letters in
      var (lastLetter, lastTimer) = (Stride?.none, Stride?.none)
      let cancellable = letters.sink { _ in
        lastLetter = scheduler.elapsed
        if lastTimer == scheduler.elapsed { timerFirst += 1 }
        scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(20))) {
          lastTimer = scheduler.elapsed
          if lastLetter == scheduler.elapsed { letterFirst += 1 }
        }
      }
      scheduler.run()
      cancellable.cancel()
    }
    #expect(ties == .anyOrder ? timerFirst > 100 : timerFirst == 0)
    #expect(letterFirst > 100)
  }

  @MainActor @Test func `simultaneous tasks run in orders that fail`() throws {
    let failure = try failure {
      checkTimelines(of: .letters) { scheduler, _ in
        let log = Log<Int>()
        for number in 0..<3 { Task.detached { log.append(number) } }
        scheduler.run()
        if log.all == [2, 0, 1] { throw TestError.first }
      }
    }
    #expect(failure.test.contains("DispatchQueue.test(order: .script(["))
    #expect(failure.eventCount == 0)
  }

  // MARK: Generators

  @Test func `numbers are in their range, which may be any`() {
    for range in [0...0, -2...2, 3...5, -5 ... -3, Int.min...Int.max, 0...Int.max, Int.min...0] {
      var seen: Set<Int> = []
      checkTimelines(of: .numbers(range), runs: 100) { _, numbers in
        for case .next(let number) in numbers.events.map(\.event) { seen.insert(number) }
      }
      #expect(seen.allSatisfy(range.contains))
      #expect(seen.contains(range.contains(0) ? 0 : range.lowerBound))
      if (-9...9).contains(range.lowerBound), range.upperBound <= 9 { #expect(seen.count == range.count) }
    }
  }

  @Test func `numbers are made smaller toward zero, or toward the lower bound`() throws {
    for (range, limit, smallest) in [(0...1000, 17, 17), (-1000...1000, 17, 17), (20...1000, 37, 37)] {
      let failure = try failure {
        checkTimelines(of: .numbers(range)) { _, numbers in
          for case .next(let number) in numbers.events.map(\.event) where number >= limit { throw TestError.first }
        }
      }
      #expect(failure.test.contains("scheduler.hot(\"'\(smallest)'\", values: { Int($0) })"))
    }
  }

  private enum Direction: CaseIterable, Equatable {
    case left, right
  }

  @Test func `values are those of a list, an enumeration, or a closure`() {
    var (listed, cases, made): (Set<Double>, Set<Direction>, Set<Int>) = ([], [], [])
    checkTimelines(
      of: .values([1.5, 2.5]), .values(of: Direction.self), .values { Int.random(in: 10...12, using: &$0) }, runs: 100
    ) { _, list, enumeration, closure in
      for case .next(let value) in list.events.map(\.event) { listed.insert(value) }
      for case .next(let value) in enumeration.events.map(\.event) { cases.insert(value) }
      for case .next(let value) in closure.events.map(\.event) { made.insert(value) }
    }
    checkTimelines(of: .values([] as [Double]), runs: 20) { _, list in #expect(list.events.compactMap(\.value).isEmpty)
    }
    #expect(listed == [1.5, 2.5])
    #expect(cases == [.left, .right])
    #expect(made == [10, 11, 12])
  }

  @Test func `the number of events and the end are those asked for`() {
    checkTimelines(
      of: .letters.count(2...3).ending(.always), .numbers(0...1).count(0...0).ending(.never), runs: 100
    ) { _, letters, numbers in
      #expect((3...4).contains(letters.events.count))
      guard case .completion? = letters.events.last?.event else { throw TestError.first }
      #expect(numbers.events.isEmpty)
    }
    let (failure, _) = IssueReporter.withCapture {
      checkTimelines(of: .letters.count(2...3)) { _, _ in throw TestError.first }
    }
    #expect(failure?.eventCount == 2)
  }

  @Test func `streams that can fail fail in some runs, and are made smaller toward none`() throws {
    var ends: Set<String> = []
    checkTimelines(of: .failing(.letters, with: TestError.first, .second), runs: 200) { _, letters in
      ends.insert(letters.events.last.map { "\($0.event)" } ?? "none")
    }
    #expect(ends.isSuperset(of: ["failed: first", "failed: second", "finished", "none"]))

    let failure = try failure {
      checkTimelines(of: .failing(.letters, with: TestError.first, .second)) { _, letters in
        if case .completion(.failure)? = letters.events.last?.event { throw TestError.first }
      }
    }
    #expect(failure.diagram == "letters  #")
    #expect(failure.test.contains("scheduler.hot(\"#\", error: SuiteSupport.TestError.first)"))
  }

  @Test func `cold streams send to each subscriber, as far as it requests`() throws {
    let failure = try failure {
      checkTimelines(of: .cold(.letters), .demand) { scheduler, letters, demand in
        let recorder = scheduler.record(letters, demand: demand)
        scheduler.run()
        if recorder.values.count == 2 { throw TestError.first }
      }
    }
    #expect(failure.diagram.hasPrefix("letters   (aa)\ndemand    *\nline"))
  }

  @Test func `a moment is a time or none`() throws {
    var (some, none) = (0, 0)
    checkTimelines(of: .letters, .moment, runs: 100) { _, _, moment in
      if moment == nil { none += 1 } else { some += 1 }
    }
    #expect(some > 20 && none > 20)

    let failure = try failure {
      checkTimelines(of: .letters, .moment) { _, _, moment in
        if let moment, moment >= .milliseconds(2) { throw TestError.first }
      }
    }
    #expect(failure.diagram == "letters  ---\nmoment   --!")
    #expect(
      failure.test.contains("let moment = Optional(DispatchQueue.SchedulerTimeType.Stride.milliseconds(2))"))
  }

  @Test func `delays are drawn one by one, and are zero after the last`() throws {
    let delays = TimelineDelays([.milliseconds(2), .seconds(1)])
    #expect([delays.next(), delays.next(), delays.next()] == [.milliseconds(2), .seconds(1), .zero])

    let failure = try failure {
      checkTimelines(of: .letters, .delays) { _, _, delays in
        if delays.next() < delays.next() { throw TestError.first }
      }
    }
    #expect(failure.diagram == "letters  -\ndelays = 0 s, 1 ms, then 0 s")
  }

  @Test func `a value is one of a list`() throws {
    let failure = try failure {
      checkTimelines(of: .letters.ending(.never), .value(of: [5, 2, 3])) { _, letters, limit in
        if letters.events.count > limit, limit != 5 { throw TestError.first }
      }
    }
    #expect(failure.diagram == "letters  (aaa)\nlimit = 2")
    #expect(failure.test.contains("let limit = 2\n"))
    #expect(failure.eventCount == 3)
  }

  @Test func `times are shown as times`() throws {
    let interval = Stride.milliseconds(20)
    #expect("\(interval) \([interval]) \(Optional(interval) as Any)" == "20 ms [20 ms] Optional(20 ms)")
    let failure = try failure {
      checkTimelines(of: .values([interval]), .value(of: [.seconds(1.5), interval])) { _, intervals, limit in
        if limit == interval, intervals.events.count > 0 { throw TestError.first }
      }
    }
    #expect(failure.diagram == "intervals  '20 ms'\nlimit = 20 ms")
    #expect(failure.test.contains("let limit = DispatchQueue.SchedulerTimeType.Stride.milliseconds(20)\n"))
    #expect(
      failure.test.contains(
        "scheduler.hot(.next(at: .zero, DispatchQueue.SchedulerTimeType.Stride.milliseconds(20)))"))
  }

  @Test func `a timeline with one event is shown where the event is`() throws {
    let failure = try failure {
      checkTimelines(of: .letters.ending(.never), .numbers(0...0).ending(.never)) { scheduler, letters, numbers in
        guard letters.events.count == 1, numbers.events.count == 0 else { return }
        let ticks = scheduler.hot((0..<150).map { .next(at: .milliseconds($0), 7) } as [Recorded<Int, Never, Stride>])
        let recorder = scheduler.record(ticks)
        scheduler.run()
        recorder.cancel()
        throw TestError.first
      }
    }
    let lines = failure.diagram.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.count { $0.hasPrefix("letters") } == 1)
    #expect(lines.count { $0.hasPrefix("numbers") } == 1)
    #expect(lines.last?.hasSuffix("777!") == true || lines.last?.hasSuffix("(7!)") == true)
  }

  @Test func `events that follow one another in two arguments are removed together`() throws {
    // Each letter takes a delay, so that a letter can be removed only with its delay.
    let failure = try failure {
      checkTimelines(of: .letters, .delays) { _, letters, delays in
        let values = letters.events.filter { if case .next = $0.event { true } else { false } }
        let taken = values.map { _ in delays.next() }
        if taken.last.map({ $0 > .milliseconds(4) }) == true { throw TestError.first }
      }
    }
    #expect(failure.diagram == "letters  a\ndelays = 5 ms, then 0 s")
  }

  // MARK: Worlds

  @MainActor @Test func `on the main actor, tasks and sleeps of a run are in virtual time`() {
    checkTimelines(of: .letters, runs: 20) { scheduler, letters in
      let log = Log<String>()
      Task {
        try? await scheduler.clock.sleep(for: .seconds(100))
        log.append("slept")
      }
      scheduler.run()
      #expect(log.all == ["slept"])
    }
  }

  @Test func `asynchronous closures run on the main actor of a world of their own`() async {
    var runs = 0
    await checkTimelines(of: .cold(.letters.ending(.always)), runs: 20) { scheduler, letters in
      MainActor.assertIsolated()
      runs += 1
      var count = 0
      for await _ in letters.values { count += 1 }
      #expect(count == letters.events.count - 1)
      try await scheduler.clock.sleep(for: .seconds(3))
    }
    #expect(runs == 20)
  }

  @Test func `an asynchronous closure that can never continue fails`() async throws {
    let (failure, _) = await IssueReporter.withCapture {
      await checkTimelines(of: .letters.ending(.never), runs: 5) { _, letters in
        for await _ in letters.values {}
      }
    }
    #expect(failure?.reason.contains("nothing is left to run") == true)
    #expect(failure?.test.contains("try scheduler.runVirtualWorld {") == true)
  }

  @Test func `asynchronous closures take several arguments`() async throws {
    let (failure, _) = await IssueReporter.withCapture {
      await checkTimelines(of: .letters, .numbers(0...3), .delays, .moment) {
        scheduler, letters, numbers, delays, moment in
        await Task.yield()
        let all = letters.events.count + numbers.events.count
        if all == 2, moment != nil, delays.next() > .zero { throw TestError.first }
      }
    }
    #expect(failure?.eventCount == 4)
  }

  // MARK: Rules

  @Test func `a subscription that is left is a failure, unless it is allowed`() throws {
    final class Leaking {
      var cancellable: AnyCancellable?
      var last = ""
      init(_ letters: some Publisher<String, Never>) { cancellable = letters.sink { self.last = $0 } }
    }
    let failure = try failure {
      checkTimelines(of: .letters) { scheduler, letters in
        _ = Leaking(letters)
        scheduler.run()
      }
    }
    #expect(failure.reason.contains("A subscription to the stream of letters is still active after the run"))
    #expect(failure.eventCount == 0)
    checkTimelines(of: .letters, runs: 20, allowsLeaks: true) { scheduler, letters in
      _ = Leaking(letters)
      scheduler.run()
    }
  }

  @Test func `what is pending when the closure returns may end subscriptions`() {
    checkTimelines(of: .letters, runs: 50) { scheduler, letters in
      let cancellable = letters.delay(for: .milliseconds(5), scheduler: scheduler).sink { _ in }
      scheduler.schedule(after: scheduler.now.advanced(by: .seconds(1))) { cancellable.cancel() }
    }
  }

  @Test func `a stream that breaks the contract is a failure`() throws {
    let failure = try failure {
      checkTimelines(of: .letters.ending(.never)) { scheduler, letters in
        let values = letters.events.compactMap(\.value)
        let recorder = scheduler.record(MisbehavingPublisher(values, .sendsBeyondDemand), demand: .max(1))
        recorder.cancel()
      }
    }
    #expect(failure.reason.contains("not requested"))
  }
}
