import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import SuiteSupport
import Testing

/// Dates and numbers of seconds from outside that are zero, negative, the least, the largest, infinite or no numbers.
@Suite(.ownThread)
struct ExtremeTimesTests {
  typealias Time = RunLoop.SchedulerTimeType
  typealias Stride = Time.Stride

  /// Numbers of seconds, and those that are used instead.
  static let seconds: [(Double, used: Double)] = [
    (0, 0), (-1, -1), (.leastNonzeroMagnitude, .leastNonzeroMagnitude),
    (.greatestFiniteMagnitude, .greatestFiniteMagnitude), (-.greatestFiniteMagnitude, -.greatestFiniteMagnitude),
    (.infinity, .greatestFiniteMagnitude), (-.infinity, -.greatestFiniteMagnitude),
  ]

  static let decoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()

  private func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try Self.decoder.decode(Value.self, from: Data(text.utf8))
  }

  private func text(_ number: Double) -> String { number.isInfinite ? #""\#(number)""# : "\(number)" }

  // MARK: Strides

  @Test(arguments: seconds)
  func `a stride is finite, however it is made`(_ seconds: Double, _ used: Double) throws {
    var magnitude = Stride.zero
    magnitude.magnitude = seconds
    var interval = Stride.zero
    interval.timeInterval = seconds
    let made = [
      Stride(seconds), .seconds(seconds), Stride(floatLiteral: seconds), magnitude, interval,
      try decoded(Stride.self, #"{"magnitude":\#(text(seconds))}"#),
      try decoded(Stride.self, #"{"timeInterval":\#(text(seconds))}"#),
      try PropertyListDecoder().decode(
        Stride.self,
        from: PropertyListSerialization.data(fromPropertyList: ["magnitude": seconds], format: .binary, options: 0)),
    ]
    for stride in made { #expect(stride.timeInterval == used) }
  }

  @Test(arguments: seconds)
  func `arithmetic on strides stays finite`(_ seconds: Double, _ used: Double) {
    for (other, _) in Self.seconds {
      let (one, two) = (Stride(seconds), Stride(other))
      var sum = one
      sum += two
      sum -= one
      sum *= two
      sum.negate()
      for result in [one + two, one - two, one * two, -one, sum] { #expect(result.timeInterval.isFinite) }
      _ = [one._nanoseconds, sum._nanoseconds]
    }
  }

  @Test(arguments: [Int.min, 0, .max])
  func `strides of whole numbers are finite`(_ count: Int) {
    let strides: [Stride] = [
      .seconds(count), .milliseconds(count), .microseconds(count), .nanoseconds(count), Stride(integerLiteral: count),
    ]
    for stride in strides { #expect(stride.timeInterval.isFinite) }
    #expect(Stride(exactly: UInt64.max) == nil)
  }

  @Test(arguments: [#"{"magnitude":"nan"}"#, #"{"timeInterval":"nan"}"#])
  func `decoding a stride that is not a number throws`(_ text: String) {
    expectCorruption(
      "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    ) { _ = try decoded(Stride.self, text) }
  }

  // MARK: Dates

  @Test(arguments: seconds)
  func `a date is finite, however it is made`(_ seconds: Double, _ used: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    var assigned = Time(Date())
    assigned.date = date
    let made = [
      Time(date), assigned, try decoded(Time.self, #"{"date":\#(text(seconds))}"#),
      try decoded(Time.self, text(seconds)),
    ]
    for time in made { #expect(time.date.timeIntervalSinceReferenceDate == used) }
    for (other, _) in Self.seconds {
      let moved = Time(date).advanced(by: Stride(other))
      #expect(moved.date.timeIntervalSinceReferenceDate.isFinite)
      #expect(Time(date).distance(to: moved).timeInterval.isFinite)
      #expect(moved.distance(to: Time(date)).timeInterval.isFinite)
    }
  }

  @Test(arguments: [#"{"date":"nan"}"#, #""nan""#])
  func `decoding a date that is not a number throws`(_ text: String) {
    expectCorruption(
      "A time interval is not a number (NaN). Check how it is computed: zero divided by zero is NaN, for example."
    ) { _ = try decoded(Time.self, text) }
  }

  @Test(.exits) func `assigning a number of seconds that is none stops the program`() async {
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var stride = Stride.zero
        stride.magnitude = .nan
      })
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var stride = Stride.zero
        stride.timeInterval = .nan
      })
  }

  @Test(.exits) func `a date that is not a number stops the program`() async {
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Time(Date(timeIntervalSinceReferenceDate: .nan))
      })
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var time = Time(Date())
        time.date = Date(timeIntervalSinceReferenceDate: .nan)
      })
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = DispatchQueue.test.dateProvider(from: Date(timeIntervalSinceReferenceDate: .nan))
      })
  }

  @Test(.exits) func `an interval of a timer that is not a number stops the program`() async {
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Timer.publish(every: .nan, on: .main, in: .common)
      })
    expectStop(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Timer.publish(every: 1, tolerance: .nan, on: .main, in: .common)
      })
  }

  // MARK: Schedulers

  @Test(arguments: seconds)
  func `work at any date runs at once or never`(_ seconds: Double, _ used: Double) async {
    func check<S: Scheduler>(_ scheduler: S, _ date: S.SchedulerTimeType, _ tolerance: S.SchedulerTimeType.Stride) async
    {
      let isPast = date <= scheduler.now
      let log = Log<String>()
      let once = scheduler.scheduleOnce(after: date, tolerance: tolerance, options: nil) { log.append("ran") }
      let repeated = scheduler.schedule(
        after: date, interval: .seconds(Double.infinity), tolerance: tolerance, options: nil
      ) {
        log.append("ran")
      }
      if isPast {
        #expect(await log.first(2) == ["ran", "ran"])
      } else {
        scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(5))) { log.append("later") }
        #expect(await log.first(1) == ["later"])
      }
      once.cancel()
      repeated.cancel()
    }
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let loop = LoopThread()
    await check(loop.loop, RunLoop.SchedulerTimeType(date), .init(seconds))
    await check(OperationQueue(), OperationQueue.SchedulerTimeType(date), .init(seconds))
  }

  @Test(arguments: seconds)
  func `virtual time of dates advances by any stride that is not negative`(_ seconds: Double, _ used: Double) {
    let scheduler = RunLoop.test
    var count = 0
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(5))) { count += 1 }
    let (_, issues) = IssueReporter.withCapture {
      scheduler.advance(by: .seconds(seconds))
      scheduler.advance(to: scheduler.now.advanced(by: .seconds(seconds)))
    }
    #expect(issues.count == (used < 0 ? 2 : 0))
    #expect(count == (used > 5 ? 1 : 0))
    #expect(
      scheduler.dateProvider(from: Date(timeIntervalSinceReferenceDate: seconds))().timeIntervalSinceReferenceDate
        .isFinite)
  }

  @Test(arguments: seconds)
  func `a timer ticks after any interval that is longer than zero`(_ seconds: Double, _ used: Double) {
    let (_, issues) = IssueReporter.withCapture {
      let timer = Timer.publish(every: seconds, tolerance: seconds, on: .main, in: .common)
      let recorder = timer.record()
      timer.connect().cancel()
      recorder.cancel()
    }
    #expect(issues.count == (used > 0 ? 0 : 1))
  }

  // MARK: Helpers

  private func expectCorruption(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation, performing: body)
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(context.debugDescription == description, sourceLocation: sourceLocation)
  }

  private func expectStop(_ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("is not a number (NaN). Check how it is computed"), sourceLocation: sourceLocation)
  }
}
