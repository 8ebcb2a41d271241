import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import SuiteSupport
import Testing

/// Bugs of other reactive libraries: time and schedulers.
struct TimeMuseumTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()

  /// cx-org/CombineX#46, commit f0501b7
  @Test func `debounce repeated its value for ever`() {
    let recorder = record(source.debounce(for: 1, scheduler: scheduler), on: scheduler)
    for value in 0...10 { source.send(value) }
    scheduler.advance(by: 100)
    #expect(recorder.log == ["10@1"])
    #expect(scheduler.pendingCount == 0)
  }

  /// OpenCombine/OpenCombine#196
  @Test func `the first tick of a timer came at once`() {
    let recorder = record(scheduler.timerPublisher(every: 1).autoconnect().map { _ in "tick" }, on: scheduler)
    scheduler.advance()
    #expect(recorder.log == [])
    scheduler.advance(by: 2.5)
    recorder.cancel()
    scheduler.advance(by: 10)
    #expect(recorder.log == ["tick@1", "tick@2"])
    #expect(scheduler.pendingCount == 0)
  }

  /// cx-org/CombineX#44, OpenCombine/OpenCombine#126, #130
  @Test func `a long interval overflowed and stopped the program`() {
    typealias Time = DispatchQueue.SchedulerTimeType
    let longest = Time.Stride.seconds(Int.max)
    #expect(longest > .seconds(1_000_000_000))
    #expect(longest + longest >= longest)
    #expect(longest * longest >= longest)
    #expect(Time.Stride.seconds(Int.min) < .seconds(-1_000_000_000))
    #expect(Time.Stride.seconds(1e300) == longest)
    #expect(Time.Stride.seconds(-1e300) < .seconds(-1_000_000_000))
    #expect(scheduler.now.advanced(by: longest) > scheduler.now)
    #expect(Time.Stride(.never) > .seconds(1_000_000_000))

    for interval in [longest, Time.Stride(.never)] {
      let recorder = record(source.debounce(for: interval, scheduler: scheduler))
      source.send(1)
      scheduler.advance(by: .seconds(1_000_000_000))
      #expect(recorder.log == [])
      recorder.cancel()
      #expect(scheduler.pendingCount == 0)
    }
    let recorder = record(source.debounce(for: .seconds(-1), scheduler: scheduler))
    source.send(2)
    scheduler.run()
    #expect(recorder.values == [2])
  }

  /// swiftlang/swift#6961; swiftlang/swift-corelibs-libdispatch#202
  ///
  /// Chosen here: an interval that is not a number stops the program where it is made.
  @Test(.exits) func `an interval that was not a number was used`() async {
    await #expect(processExitsWith: .failure) { _ = DispatchQueue.SchedulerTimeType.Stride.seconds(Double.nan) }
  }

  /// cx-org/CombineX commit 973cc9b
  @Test func `the distance between two times had the wrong sign`() {
    func check<Time: Strideable>(_ times: [Time]) where Time.Stride: Comparable & SignedNumeric {
      for a in times {
        for b in times {
          #expect(a.advanced(by: a.distance(to: b)) == b)
          #expect((a.distance(to: b) > .zero) == (a < b))
        }
      }
    }
    check([1, 2, 1_000, 1_000_000_000].map { DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: $0)) })
    check([-5, 0, 7, 1_000_000_000].map { VirtualTimeType($0) })
  }

  /// ReactiveCocoa/ReactiveCocoa#1834, ReactiveX/rxjs#5687
  @Test(arguments: [true, false])
  func `throttle let values pass too early after a pause`(_ latest: Bool) {
    let throttled = source.throttle(for: 1, scheduler: scheduler, latest: latest)
    var times: [Double] = []
    let start = scheduler.now
    let cancellable = throttled.sink(isolation: nil) { _ in
    } receiveValue: { [scheduler] _ in
      times.append(Double(start.distance(to: scheduler.now).magnitude) / 1e9)
    }
    scheduler.at(0) { [source] in source.send(0) }
    for number in 0...30 { scheduler.at(5 + Double(number) / 10) { [source] in source.send(number) } }
    scheduler.run()
    #expect(times.prefix(2) == [0, 5])
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 1 })
    #expect(times.count == 5)
    cancellable.cancel()
  }

  /// ReactiveX/RxSwift#2316
  @Test func `debounce and delay waited for the time by which a clock had been set back`() {
    let shift = Box(DispatchQueue.SchedulerTimeType.Stride.zero)
    let shifting = scheduler.withClock(setBy: shift)
    scheduler.advance(by: 1_000)
    let debounced = record(source.debounce(for: 10, scheduler: shifting), on: scheduler)
    source.send(1)
    scheduler.advance(by: 20)
    shift.value = -100
    source.send(2)
    scheduler.advance(by: 20)
    #expect(debounced.log == ["1@1010", "2@1030"])
    let delayed = record(source.delay(for: 10, scheduler: shifting), on: scheduler)
    source.send(3)
    scheduler.advance(by: 1)
    shift.value = -200
    source.send(4)
    scheduler.advance(by: 10)
    #expect(delayed.log == ["3@1050", "4@1051"])
  }

  /// ReactiveX/RxSwift#2316
  @Test func `an interval was measured with a clock that had been set back`() {
    let shift = Box(DispatchQueue.SchedulerTimeType.Stride.zero)
    scheduler.advance(by: 1_000)
    let measured = record(source.measureInterval(using: scheduler.withClock(setBy: shift)), on: scheduler)
    scheduler.advance(by: 3)
    source.send(1)
    shift.value = -100
    scheduler.advance(by: 2)
    source.send(2)
    scheduler.advance(by: 4)
    source.send(3)
    // The scheduler's own time is what it measures, and the next interval is right again.
    #expect(measured.values.map(\.timeInterval) == [.seconds(3), .seconds(-98), .seconds(4)])
  }

  /// ReactiveX/RxSwift#2316
  @Test func `throttle and timeout waited for the time by which a clock had been set back`() {
    let shift = Box(DispatchQueue.SchedulerTimeType.Stride.zero)
    let shifting = scheduler.withClock(setBy: shift)
    scheduler.advance(by: 1_000)
    let throttled = record(source.throttle(for: 10, scheduler: shifting, latest: true), on: scheduler)
    let timed = record(Empty<Int, Never>(completeImmediately: false).timeout(10, scheduler: shifting), on: scheduler)
    source.send(1)
    scheduler.advance(by: 1)
    shift.value = -100
    source.send(2)
    scheduler.run()
    // At most one interval after the value has been sent.
    #expect(throttled.log == ["1@1000", "2@1011"])
    #expect(timed.log == ["finished@1010"])
  }

  /// apple/swift-async-algorithms#413, #266
  @Test func `throttle kept the last value until another one came`() {
    let recorder = record(source.throttle(for: 1, scheduler: scheduler, latest: true), on: scheduler)
    for number in 0..<100 { scheduler.at(Double(number) * 0.009) { [source] in source.send(number) } }
    scheduler.advance(by: 2)
    #expect(recorder.log == ["0@0", "99@1"])
  }

  /// cx-org/CombineX#64, #65, commits 6607037, f1e4fdf; Stack Overflow 71943750
  @Test func `values were lost because the subscription came later than they did`() {
    func check<P: Publisher>(_ make: (PassthroughSubject<Int, TestError>) -> P, time: Int)
    where P.Output == Int, P.Failure == TestError {
      let subject = PassthroughSubject<Int, TestError>()
      let recorder = record(make(subject), on: scheduler)
      #expect(recorder.subscriptions.count == 1)
      subject.send(1)
      subject.send(completion: .failure(.first))
      #expect(recorder.log == [])
      let start = Int(scheduler.seconds) ?? 0
      scheduler.run()
      #expect(recorder.log == ["1@\(start + time)", "first@\(start + time)"])
    }
    check({ [scheduler] in $0.receive(on: scheduler) }, time: 0)
    check({ [scheduler] in $0.delay(for: 3, scheduler: scheduler) }, time: 3)

    let failing = Fail<Int, TestError>(error: .first)
    let failed = [record(failing.receive(on: scheduler)), record(failing.delay(for: 1, scheduler: scheduler))]
    let just = [record(Just(1).receive(on: scheduler)), record(Just(1).delay(for: 1, scheduler: scheduler))]
    #expect(failed.allSatisfy { $0.subscriptions.count == 1 && $0.log.isEmpty })
    scheduler.run()
    #expect(failed.map(\.log) == [["first"], ["first"]])
    #expect(just.map(\.log) == [["1", "finished"], ["1", "finished"]])
  }

  /// dotnet/reactive#1625
  @Test func `a delay of zero delivered each value twice`() {
    let delayed = record([1, 2].publisher.delay(for: 0, scheduler: scheduler))
    let debounced = record(source.debounce(for: 0, scheduler: scheduler))
    for value in 1...2 {
      source.send(value)
      scheduler.advance()
    }
    scheduler.run()
    #expect(delayed.log == ["1", "2", "finished"])
    #expect(debounced.log == ["1", "2"])
    let trigger = Just(())
    #expect(log([1, 2].publisher.flatMap { value in trigger.map { value } }) == ["1", "2", "finished"])
  }
}
