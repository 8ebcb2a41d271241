import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Laws for every operator with an interval: its scheduler's clock may be set at any moment, back or forward.
struct ClockJumpTests {
  typealias Clock = AnySchedulerOf<DispatchQueue>

  /// A timed operator, with an interval of ten seconds.
  struct Entry: CustomTestStringConvertible, Sendable {
    let name: String
    /// Indicates whether every value arrives.
    var isLossless = true
    /// The number of values that may arrive at one moment.
    var most = 1
    let make: @Sendable (AnyPublisher<Int, Never>, Clock) -> AnyPublisher<[Int], Never>

    var testDescription: String { name }
  }

  static let entries = [
    Entry(name: "debounce", isLossless: false) { source, clock in
      source.debounce(for: 10, scheduler: clock).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "throttle(latest: true)", isLossless: false) { source, clock in
      source.throttle(for: 10, scheduler: clock, latest: true).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "throttle(latest: false)", isLossless: false) { source, clock in
      source.throttle(for: 10, scheduler: clock, latest: false).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "delay") { source, clock in
      source.delay(for: 10, scheduler: clock).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "timeout") { source, clock in
      source.timeout(30, scheduler: clock).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "collect(.byTime)") { source, clock in
      source.collect(.byTime(clock, 10)).eraseToAnyPublisher()
    },
    Entry(name: "collect(.byTimeOrCount)") { source, clock in
      source.collect(.byTimeOrCount(clock, 10, 3)).eraseToAnyPublisher()
    },
    Entry(name: "rateLimit", most: 2) { source, clock in
      source.rateLimit(2, per: 10, scheduler: clock, queueSize: 100, whenFull: .dropNewest).map { [$0] }
        .eraseToAnyPublisher()
    },
    Entry(name: "prefix(duration:)", isLossless: false) { source, clock in
      source.prefix(duration: 60, scheduler: clock).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "delay(subscription:)", isLossless: false) { source, clock in
      source.delay(subscription: 10, scheduler: clock).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "sample(by: timer)", isLossless: false) { source, clock in
      source.sample(by: clock.timerPublisher(every: 10).autoconnect()).map { [$0] }.eraseToAnyPublisher()
    },
    Entry(name: "retry", isLossless: false) { source, clock in
      source.map { [$0] }.tryMap { if $0[0] % 2 == 0 { throw TestError.first } else { $0 } }
        .retry(.delay(.seconds(10), maxRetries: 100), scheduler: clock).assertNoFailure().eraseToAnyPublisher()
    },
  ]

  /// The times at which values are sent, which are also the values.
  static let sent = [0, 1, 4, 12, 13, 14, 15, 16, 33, 34, 36, 41, 42, 43, 44, 45, 60]

  struct Arrival {
    let time: Int
    let values: [Int]
  }

  /// Returns what arrives if the clock is set once.
  static func run(
    _ entry: Entry, setBy jump: DispatchQueue.SchedulerTimeType.Stride = .zero, at time: Double = 0
  ) -> [Arrival] {
    let scheduler = DispatchQueue.test
    let shift = Box(DispatchQueue.SchedulerTimeType.Stride.zero)
    scheduler.advance(by: 10_000)
    let start = scheduler.now
    let source = PassthroughSubject<Int, Never>()
    var arrivals: [Arrival] = []
    let cancellable = entry.make(source.eraseToAnyPublisher(), scheduler.withClock(setBy: shift)).sink { values in
      arrivals.append(Arrival(time: start.distance(to: scheduler.now).magnitude / 1_000_000_000, values: values))
    }
    for value in sent {
      scheduler.schedule(after: start.advanced(by: .seconds(value))) { source.send(value) }
    }
    scheduler.schedule(after: start.advanced(by: .seconds(time))) { shift.value = jump }
    scheduler.advance(by: 200)
    cancellable.cancel()
    scheduler.assertIdle()
    return arrivals
  }

  /// All moments between two values, and at which timers fire.
  static let moments = (0...64).map { Double($0) + 0.25 }

  @Test(arguments: entries)
  func `no value waits longer than an interval more because the clock is set back`(entry: Entry) {
    let plain = Self.run(entry)
    for jump in [-3600, -30, -7, -1.5] as [DispatchQueue.SchedulerTimeType.Stride] {
      for moment in Self.moments {
        let arrivals = Self.run(entry, setBy: jump, at: moment)
        let context = Comment("set by \(jump.magnitude) at \(moment): \(arrivals)")
        if entry.isLossless { #expect(arrivals.flatMap(\.values) == Self.sent, context) }
        for value in arrivals.flatMap(\.values) {
          let time = arrivals.first { $0.values.contains(value) }!.time
          let usual = plain.first { $0.values.contains(value) }?.time ?? value + 10
          #expect(time <= usual + 10, context)
        }
        // The last value arrives, if it does otherwise.
        #expect(arrivals.last?.values.last == plain.last?.values.last, context)
      }
    }
  }

  @Test(arguments: entries) func `no burst arrives because the clock is set forward`(entry: Entry) {
    for jump in [3600, 30, 7, 1.5] as [DispatchQueue.SchedulerTimeType.Stride] {
      for moment in Self.moments {
        let arrivals = Self.run(entry, setBy: jump, at: moment)
        let context = Comment("set by \(jump.magnitude) at \(moment): \(arrivals)")
        if entry.isLossless { #expect(arrivals.flatMap(\.values) == Self.sent, context) }
        let counts = Dictionary(grouping: arrivals, by: \.time).mapValues(\.count)
        #expect(counts.values.allSatisfy { $0 <= entry.most }, context)
      }
    }
  }

  @Test func `an interval keeps its length whichever way the clock is set`() {
    for jump in [-3600, -30, -7, -1.5, 1.5, 7, 30, 3600] as [DispatchQueue.SchedulerTimeType.Stride] {
      for moment in Self.moments {
        let settled = Self.run(Self.entries[0], setBy: jump, at: moment)
        for arrival in settled {
          let last = Self.sent.last { $0 <= arrival.time }!
          let context = Comment("set by \(jump.magnitude) at \(moment): \(settled)")
          #expect(arrival.values == [last] && arrival.time >= last + 10, context)
        }
        let delayed = Self.run(Self.entries[3], setBy: jump, at: moment)
        let context = Comment("set by \(jump.magnitude) at \(moment): \(delayed)")
        #expect(delayed.allSatisfy { $0.time == $0.values[0] + 10 }, context)
      }
    }
  }

  @Test func `a rate is kept while values wait`() {
    let limited = Self.entries.first { $0.name == "rateLimit" }!
    let waits = zip(Self.sent, Self.run(limited).map(\.time))
    for jump in [-3600, -7, 7, 3600] as [DispatchQueue.SchedulerTimeType.Stride] {
      for moment in Self.moments where waits.contains(where: { Double($0) < moment && moment < Double($1) }) {
        let times = Self.run(limited, setBy: jump, at: moment).map(\.time)
        #expect(
          zip(times, times.dropFirst(2)).allSatisfy { $1 - $0 >= 10 }, "set by \(jump.magnitude) at \(moment): \(times)"
        )
      }
    }
  }
}
