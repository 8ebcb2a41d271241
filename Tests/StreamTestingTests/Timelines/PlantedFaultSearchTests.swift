import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// The planted faults, which were written before the generators, are found and made small.
///
/// With `STREAMS_FIGURES=1`, the table of the article is printed, for ten seeds.
@Suite struct PlantedFaultSearchTests {
  @Test func `every planted fault is found within a thousand runs, and 18 are made as small as three events`() {
    var small = 0
    for fault in PlantedFault.all {
      let failure = fault.fails.search(seed: 1)
      #expect(failure != nil, "\(fault.name)")
      if let failure, failure.eventCount <= 3 { small += 1 }
    }
    #expect(small >= 18)
  }

  @Test func `no run of the correct code fails`() {
    for fault in PlantedFault.all {
      let failure = fault.holds.search(seed: 2, runs: 200, ties: .anyOrder)
      #expect(failure == nil, "\(fault.name): \(failure?.description ?? "")")
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `a fault that shows only if a timer comes before a letter of the same instant is found`(seed: UInt64) throws {
    let failure = try #require(PlantedFault.acceptedAfterLock.fails.search(seed: seed, ties: .anyOrder))
    #expect(failure.eventCount == 1)
    #expect(failure.test.contains("scheduler.hotEventsComeFirst = false"))
    #expect(failure.reason.hasPrefix("This run fails only if a timer comes before an event at the same instant."))
    #expect(PlantedFault.acceptedAfterLock.holds.search(seed: seed, ties: .anyOrder) == nil)
    #expect(PlantedFault.acceptedAfterLock.fails.search(seed: seed) == nil)
  }

  @Test func `all timelines with at most three events show the faults that two or three events show`() {
    // One needs six events, and two compare dates, of which the check knows nothing. One more needs a delay that is two frames
    // longer than an interval, unless a timer comes before a letter.
    let notFound: Set = [
      PlantedFault.demandOfGroups.name, PlantedFault.burstAtTheBoundary.name, PlantedFault.staleCache.name,
      PlantedFault.oldAnswer.name,
    ]
    #expect(PlantedFault.oldAnswer.fails.searchAll(upTo: 3, ties: .anyOrder)?.eventCount == 3)
    for fault in PlantedFault.all {
      let failure = fault.fails.searchAll(upTo: 3)
      #expect((failure == nil) == notFound.contains(fault.name), "\(fault.name)")
    }
    #expect(PlantedFault.acceptedAfterLock.fails.searchAll(upTo: 3, ties: .anyOrder)?.eventCount == 1)
    for fault in [PlantedFault.acceptedAfterLock, .repeatedAtTheEnd, .oldAnswer] {
      #expect(fault.holds.searchAll(upTo: 3, ties: .anyOrder) == nil, "\(fault.name)")
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["STREAMS_FIGURES"] != nil))
  func `the table of the article`() {
    print("| fault | checkTimelines: run, events | by hand: run, events |\n| --- | --- | --- |")
    var (found, small, foundByHand, smallByHand) = (0, 0, 0, 0)
    for fault in PlantedFault.all {
      let failures = (1...10).compactMap { fault.fails.search(seed: $0) }
      let byHand = (1...10).compactMap { fault.fails.searchByHand(seed: $0) }
      found += failures.count
      small += failures.count { $0.eventCount <= 3 }
      foundByHand += byHand.count
      smallByHand += byHand.count { $0.events <= 3 }
      let summary = Self.summary(failures.map { ($0.run, $0.eventCount) })
      print("| \(fault.name) | \(summary) | \(Self.summary(byHand.map { ($0.run, $0.events) })) |")
    }
    print("Found: \(found) and \(foundByHand) of 200; with at most three events: \(small) and \(smallByHand).")
  }

  /// The number of seeds with which a fault was found, and the medians of the runs and the events.
  private static func summary(_ all: [(run: Int, events: Int)]) -> String {
    if all.isEmpty { return "not found" }
    let (runs, events) = (all.map(\.run).sorted(), all.map(\.events).sorted())
    let part = all.count == 10 ? "" : " (\(all.count) of 10 seeds)"
    return "\(runs[runs.count / 2]), \(events[events.count / 2])\(part)"
  }
}

extension Property {
  /// Looks for a timeline among all with so many events for which the claim does not hold, and reports nothing.
  func searchAll(upTo eventCount: Int, ties: TimelineTies = .inOrder) -> TimelineFailure? {
    IssueReporter.withCapture {
      switch self {
      case .letters(let claim): checkAllTimelines(of: .letters, upTo: eventCount, ties: ties) { try claim($1, $0) }
      case .lettersAndNumbers(let claim):
        checkAllTimelines(of: .letters, .numbers(0...1), upTo: eventCount, ties: ties) { try claim($1, $2, $0) }
      case .failingLetters(let claim):
        checkAllTimelines(of: .failing(.letters, with: TestError.first), upTo: eventCount, ties: ties) {
          try claim($1, $0)
        }
      case .lettersAndDelays(let claim):
        checkAllTimelines(of: .letters, .delays, upTo: eventCount, ties: ties) { scheduler, letters, delays in
          try claim(letters, { delays.next() }, scheduler)
        }
      case .lettersAndDemand(let claim):
        checkAllTimelines(of: .cold(.letters), .demand, upTo: eventCount, ties: ties) { try claim($1, $2, $0) }
      case .lettersAndCancellation(let claim):
        checkAllTimelines(of: .letters, .moment, upTo: eventCount, ties: ties, allowsLeaks: true) {
          try claim($1, $2, $0)
        }
      }
    }.result
  }

  /// Looks for a timeline for which the claim does not hold, and reports nothing.
  func search(seed: UInt64, runs: Int = 1_000, ties: TimelineTies = .inOrder) -> TimelineFailure? {
    IssueReporter.withCapture {
      switch self {
      case .letters(let claim): checkTimelines(of: .letters, runs: runs, seed: seed, ties: ties) { try claim($1, $0) }
      case .lettersAndNumbers(let claim):
        checkTimelines(of: .letters, .numbers(0...9), runs: runs, seed: seed, ties: ties) { try claim($1, $2, $0) }
      case .failingLetters(let claim):
        checkTimelines(of: .failing(.letters, with: TestError.first), runs: runs, seed: seed, ties: ties) {
          try claim($1, $0)
        }
      case .lettersAndDelays(let claim):
        checkTimelines(of: .letters, .delays, runs: runs, seed: seed, ties: ties) { scheduler, letters, delays in
          try claim(letters, { delays.next() }, scheduler)
        }
      case .lettersAndDemand(let claim):
        checkTimelines(of: .cold(.letters), .demand, runs: runs, seed: seed, ties: ties) { try claim($1, $2, $0) }
      case .lettersAndCancellation(let claim):
        // Their subscribers keep the subscription if nothing cancels it.
        checkTimelines(of: .letters, .moment, runs: runs, seed: seed, ties: ties, allowsLeaks: true) {
          try claim($1, $2, $0)
        }
      }
    }.result
  }

  /// Does the same as a test that is written by hand: with random arrays, and without making anything smaller.
  func searchByHand(seed: UInt64, runs: Int = 1_000) -> (run: Int, events: Int)? {
    var random = SplitMix(state: seed)
    for run in 1...runs {
      let scheduler = DispatchQueue.test
      let letters = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        (Int.random(in: 0..<5_000, using: &random), ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "")
      }
      let numbers = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        (Int.random(in: 0..<5_000, using: &random), Int.random(in: 0...9, using: &random))
      }
      let delays = (0..<20).map { _ in Property.Stride.milliseconds(Int.random(in: 0..<1_000, using: &random)) }
      let ends = Bool.random(using: &random)
      let fails = Bool.random(using: &random)
      let demand = DemandScript<Property.Stride>.initial(
        .max(Int.random(in: 0...5, using: &random)), perValue: .max(Int.random(in: 0...2, using: &random)))
      let moment = Bool.random(using: &random) ? Int.random(in: 0..<5_000, using: &random) : nil
      var events = letters.count + (ends ? 1 : 0)
      do {
        switch self {
        case .letters(let claim): try claim(scheduler.hot(Self.events(letters, ends ? .finished : nil)), scheduler)
        case .lettersAndNumbers(let claim):
          events += numbers.count
          try claim(
            scheduler.hot(Self.events(letters, ends ? .finished : nil)),
            scheduler.hot(Self.events(numbers, ends ? .finished : nil)), scheduler)
        case .failingLetters(let claim):
          try claim(scheduler.hot(Self.events(letters, ends ? fails ? .failure(.first) : .finished : nil)), scheduler)
        case .lettersAndDelays(let claim):
          var next = delays.makeIterator()
          events += delays.count
          try claim(scheduler.hot(Self.events(letters, ends ? .finished : nil)), { next.next() ?? .zero }, scheduler)
        case .lettersAndDemand(let claim):
          events += 2
          let source = scheduler.cold(
            Self.events(letters, ends ? Subscribers.Completion<Never>.finished : nil))
          try claim(source, demand, scheduler)
        case .lettersAndCancellation(let claim):
          events += 1
          try claim(
            scheduler.hot(Self.events(letters, ends ? .finished : nil)), moment.map { .milliseconds($0) }, scheduler)
        }
      } catch {
        return (run, events)
      }
    }
    return nil
  }

  fileprivate static func events<Output, Failure>(
    _ values: [(Int, Output)], _ completion: Subscribers.Completion<Failure>?
  ) -> [Recorded<Output, Failure, Stride>] {
    let sent = values.sorted { $0.0 < $1.0 }.map {
      Recorded<Output, Failure, Stride>.next(at: .milliseconds($0.0), $0.1)
    }
    let end = completion.map { Recorded<Output, Failure, Stride>(time: .seconds(5), event: .completion($0)) }
    return sent + [end].compactMap(\.self)
  }
}
