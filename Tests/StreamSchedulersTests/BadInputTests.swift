import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// The messages of mistakes that stop the program, also in a release build, where `precondition` prints nothing.
///
/// These tests are run in release builds too.
struct BadInputTests {
  /// Expects that a program wrote something before it stopped.
  private func expect(
    _ result: ExitTest.Result?, says message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), sourceLocation: sourceLocation)
  }

  @Test(.exits) func `NaN seconds of a dispatch queue stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = DispatchQueue.SchedulerTimeType.Stride.seconds(Double.nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `NaN seconds of a run loop stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RunLoop.SchedulerTimeType.Stride.seconds(Double.nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `a NaN stride of an operation queue stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = OperationQueue.SchedulerTimeType.Stride(.nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `NaN seconds of a clock stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ClockStride.seconds(Double.nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `NaN seconds of immediate time stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ImmediateTime.Stride.seconds(Double.nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `a NaN literal of immediate time stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ImmediateTime.Stride(floatLiteral: .nan)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `the distance to a NaN date stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let date = RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: .nan))
      _ = RunLoop.main.now.distance(to: date)
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test(.exits) func `a NaN distance of a user-defined time type stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      TestScheduler<FractionalTime, Never>(now: FractionalTime()).advance(by: FractionalTime.Stride(.nan))
    }
    expect(
      result,
      says:
        "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    )
  }

  @Test func `a literal of immediate time loses its fraction, as in Combine`() {
    let (stride, negative, small): (ImmediateTime.Stride, ImmediateTime.Stride, ImmediateTime.Stride)
    (stride, negative, small) = (14.6, -14.6, 0.9)
    #expect([stride, negative, small].map(\.magnitude) == [14, -14, 0])
  }

  @Test func `infinite intervals and dates are clamped to the largest finite values`() {
    typealias Stride = OperationQueue.SchedulerTimeType.Stride
    let longest = Stride.seconds(Double.infinity)
    #expect(longest.timeInterval == .greatestFiniteMagnitude)
    #expect(-longest == .seconds(-Double.infinity))
    #expect([longest + longest, longest * 2, longest * longest] == [longest, longest, longest])
    #expect([longest - longest, longest * 0] == [0, 0])
    #expect(longest._nanoseconds == .max)
    #expect(ImmediateTime.Stride(floatLiteral: .infinity) == ImmediateTime.Stride(.max))

    let never = OperationQueue.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: .infinity))
    #expect(never.distance(to: never) == 0)
    #expect(OperationQueue.main.now.distance(to: never) == longest)
  }

  @Test func `work after an infinite interval never runs and can be cancelled`() {
    func arm<S: Scheduler>(_ scheduler: S) {
      let date = scheduler.now.advanced(by: .seconds(Double.infinity))
      let work = scheduler.scheduleOnce(after: date, tolerance: .seconds(Double.infinity), options: nil) {
        Issue.record("This never runs.")
      }
      work.cancel()
      scheduler.schedule(after: date, interval: .seconds(Double.infinity), tolerance: .zero, options: nil) {
        Issue.record("This never runs.")
      }.cancel()
    }
    arm(DispatchQueue.main)
    arm(OperationQueue.main)
    arm(RunLoop.main)
    arm(DispatchQueue.test)
    arm(RunLoop.test)
    arm(ContinuousClock().scheduler)
  }

  @Test func `publisher checks with too few values are reported`() {
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.publisher(sends: 2) { [1, 2].publisher }
    }
    #expect(violations.isEmpty)
    #expect(
      issues.map(\.message) == [
        "ConformanceChecks.publisher(sends:) requires at least 3 values, got 2. Nothing was checked."
      ])
    #expect(issues.map(\.line) == [#line - 7])
  }

  @Test func `subscriber checks without values are reported`() {
    let (violations, issues) = IssueReporter.withCapture {
      ConformanceChecks.subscriber(values: []) { AnySubscriber<Int, Never>() }
    }
    #expect(violations.isEmpty)
    #expect(
      issues.map(\.message) == [
        "ConformanceChecks.subscriber(values:) requires at least 1 value, got none. Nothing was checked."
      ])
    #expect(issues.map(\.line) == [#line - 7])
  }

  @Test func `times in a diagram that overflow together are clamped to the maximum`() {
    let events = DispatchQueue.test.hot("a 8000000000s 8000000000s b c").events
    #expect(events.map(\.time) == [0, .nanoseconds(.max), .nanoseconds(.max)])
  }

  @Test(arguments: [0, -5, -Double.infinity])
  func `operators treat an interval of zero or less as already elapsed`(_ seconds: Double) {
    let scheduler = DispatchQueue.test
    let source = PassthroughSubject<Int, Never>()
    let interval = DispatchQueue.SchedulerTimeType.Stride.seconds(seconds)
    let recorders = [
      scheduler.record(source.delay(for: interval, scheduler: scheduler)),
      scheduler.record(source.debounce(for: interval, scheduler: scheduler)),
      scheduler.record(source.throttle(for: interval, scheduler: scheduler, latest: true)),
    ]
    let timed = scheduler.record(source.timeout(interval, scheduler: scheduler))
    scheduler.advance()
    source.send(1)
    scheduler.advance()
    source.send(2)
    scheduler.advance()
    for recorder in recorders { #expect(recorder.values == [1, 2]) }
    #expect(timed.values == [])
    #expect(timed.completion == .finished)
    scheduler.assertIdle()
  }

  @Test func `operators treat an infinite interval as one that never elapses`() {
    let scheduler = DispatchQueue.test
    let source = PassthroughSubject<Int, Never>()
    let interval = DispatchQueue.SchedulerTimeType.Stride.seconds(Double.infinity)
    let delayed = scheduler.record(source.delay(for: interval, scheduler: scheduler))
    let debounced = scheduler.record(source.debounce(for: interval, scheduler: scheduler))
    let throttled = scheduler.record(source.throttle(for: interval, scheduler: scheduler, latest: true))
    let timed = scheduler.record(source.timeout(interval, scheduler: scheduler))
    for value in 1...3 {
      source.send(value)
      scheduler.advance(by: .seconds(1_000_000))
    }
    #expect([delayed.values, debounced.values, throttled.values, timed.values] == [[], [], [1], [1, 2, 3]])
    #expect([delayed, debounced, throttled, timed].allSatisfy { $0.completion == nil })
  }
}

/// A user-defined time type in seconds, without a conversion to nanoseconds.
private struct FractionalTime: Strideable {
  var seconds = 0.0

  func distance(to other: Self) -> Stride { Stride(other.seconds - seconds) }
  func advanced(by stride: Stride) -> Self { Self(seconds: seconds + stride.seconds) }

  struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable {
    var seconds: Double

    init(_ seconds: Double) { self.seconds = seconds }
    init(integerLiteral value: Int) { seconds = Double(value) }
    init?<T: BinaryInteger>(exactly source: T) { seconds = Double(source) }

    var magnitude: Double { seconds.magnitude }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.seconds < rhs.seconds }
    static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.seconds + rhs.seconds) }
    static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.seconds - rhs.seconds) }
    static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.seconds * rhs.seconds) }
    static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

    static func seconds(_ s: Int) -> Self { Self(Double(s)) }
    static func seconds(_ s: Double) -> Self { Self(s) }
    static func milliseconds(_ ms: Int) -> Self { Self(Double(ms) / 1e3) }
    static func microseconds(_ us: Int) -> Self { Self(Double(us) / 1e6) }
    static func nanoseconds(_ ns: Int) -> Self { Self(Double(ns) / 1e9) }
  }
}
