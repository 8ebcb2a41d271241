import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: completion.
struct CompletionMuseumTests {
  private let scheduler = DispatchQueue.test
  private let source = ManualSource<Int, TestError>()
  private let other = ManualSource<String, TestError>()

  private func zipped() -> some Publisher<String, TestError> { source.zip(other) { "\($0)\($1)" } }

  /// cx-org/CombineX#106, ReactiveX/RxSwift#1666
  ///
  /// Chosen here: a source that finishes while its last pair is being delivered ends the stream after that pair.
  @Test func `zip lost pairs when a source finished, or waited for a value that it did not need`() {
    let recorder = record(zipped())
    source.send(1)
    source.send(2)
    source.finish()
    other.send("x")
    #expect(recorder.log == ["1x"])
    other.send("y")
    #expect(recorder.log == ["1x", "2y", "finished"])
    #expect(other.cancelCount == 1)

    // Without a value that waits.
    let empty = record(zipped())
    source.finish()
    #expect(empty.log == ["finished"])
    #expect(other.cancelCount == 2)

    // Both finish, with different numbers of values.
    let both = record(zipped())
    source.send(1)
    source.send(2)
    source.finish()
    other.send("x")
    other.finish()
    #expect(both.log == ["1x", "finished"])

    // One finishes while a pair is being delivered.
    let during = SignalRecorder<String, TestError>()
    during.onValue = { [source] _ in
      source.finish()
      return .none
    }
    zipped().subscribe(during)
    source.send(1)
    other.send("x")
    #expect(during.log == ["1x", "finished"])

    // Values wait, and there is no demand.
    let subjects = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let slow = record(subjects.0.zip(subjects.1) { $0 + $1 }, .max(1))
    subjects.0.send(1)
    subjects.0.send(completion: .finished)
    #expect(slow.log == [])
    subjects.1.send(10)
    #expect(slow.log == ["11", "finished"])

    // One fails while values of the other one wait.
    let failed = record(zipped())
    let cancelCount = source.cancelCount
    source.send(1)
    source.send(2)
    other.fail(.second)
    #expect(failed.log == ["second"])
    #expect(source.cancelCount == cancelCount + 1)
  }

  /// ReactiveX/RxSwift#2317, dotnet/reactive#885
  ///
  /// Chosen here: the stream finishes as soon as a source finishes without a value, in both orders.
  @Test func `combineLatest with a source that was empty ended differently in each order`() {
    for isFirst in [true, false] {
      let (empty, running) = (ManualSource<Int, TestError>(), ManualSource<Int, TestError>())
      let recorder = record(empty.combineLatest(running) { $0 + $1 })
      if isFirst { empty.finish() }
      running.send(1)
      if !isFirst { empty.finish() }
      #expect(recorder.log == ["finished"])
      #expect(running.cancelCount == 1)
    }
    // With a value of each, it finishes when both have.
    let (a, b) = (ManualSource<Int, TestError>(), ManualSource<Int, TestError>())
    let recorder = record(a.combineLatest(b) { $0 + $1 })
    a.send(1)
    a.finish()
    b.send(10)
    b.send(20)
    b.finish()
    #expect(recorder.log == ["11", "21", "finished"])
  }

  /// dotnet/reactive#1791, ReactiveX/rxjs#2426
  @Test(arguments: [Subscribers.Demand.unlimited, .none])
  func `a combination of nothing never finished`(_ demand: Subscribers.Demand) {
    #expect(record(Publishers.MergeMany<Just<Int>>([]), demand).log == ["finished"])
    #expect(record(Empty<Int, Never>().flatMap { Just($0) }, demand).log == ["finished"])
    #expect(record(Empty<Just<Int>, Never>().switchToLatest(), demand).log == ["finished"])
    let collected = record([Int]().publisher.collect(), demand)
    #expect(collected.log == (demand == .none ? [] : ["[]", "finished"]))
    collected.request(.max(1))
    #expect(collected.log == ["[]", "finished"])
  }

  /// OpenCombine/OpenCombine commit c9e7293
  @Test func `the value of a finished subject could not be set`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let recorder = record(subject)
    subject.send(completion: .finished)
    subject.send(42)
    #expect(subject.value == 0)
    subject.value = 42
    #expect(subject.value == 42)
    #expect(recorder.log == ["0", "finished"])
    #expect(log(subject) == ["finished"])
  }

  /// apple/swift-async-algorithms#248, #292; ReactiveX/rxjs#3559, #5755
  ///
  /// Chosen here: the value that waits comes at the end of its interval, and then the completion, also a failure.
  @Test(arguments: [true, false])
  func `throttle lost its last value at the end`(_ isFailure: Bool) {
    let recorder = record(source.throttle(for: 10, scheduler: scheduler, latest: true), on: scheduler)
    scheduler.at(0) { [source] in source.send(1) }
    scheduler.at(3) { [source] in source.send(2) }
    scheduler.at(4) { [source] in if isFailure { source.fail(.first) } else { source.finish() } }
    scheduler.run()
    #expect(recorder.log == ["1@0", "2@10", isFailure ? "first@10" : "finished@10"])
  }

  /// ReactiveX/RxJava#3307, ReactiveX/rxjs#4660, OpenCombine/OpenCombine#241
  ///
  /// Chosen here: a value that waits is dropped at the end, as in Combine. One that is due at that instant comes if its
  /// timer was there first.
  @Test func `debounce published its last value at the end, or did not`() {
    func received(end: Double, isFirst: Bool = false, _ act: @escaping (ManualSource<Int, TestError>) -> Void)
      -> [String]
    {
      let (scheduler, source) = (DispatchQueue.test, ManualSource<Int, TestError>())
      if isFirst { scheduler.at(end) { act(source) } }
      let recorder = record(source.debounce(for: 5, scheduler: scheduler), on: scheduler)
      source.send(1)
      if !isFirst { scheduler.at(end) { act(source) } }
      scheduler.run()
      return recorder.log
    }
    #expect(received(end: 2) { $0.finish() } == ["finished@2"])
    #expect(received(end: 2) { $0.fail(.first) } == ["first@2"])
    #expect(received(end: 5) { $0.finish() } == ["1@5", "finished@5"])
    #expect(received(end: 5, isFirst: true) { $0.finish() } == ["finished@5"])
  }

  /// ReactiveX/rxjs#2174; apple/swift-async-algorithms#293
  @Test func `the last group was lost because it was not full`() {
    typealias Groups = AnyPublisher<[Int], TestError>
    let scheduler = scheduler
    let operators: [(build: (ManualSource<Int, TestError>) -> Groups, whole: [[Int]], part: [[Int]])] = [
      ({ $0.collect(2).eraseToAnyPublisher() }, [[1, 2], [3]], [[1, 2]]),
      ({ $0.collect(1).eraseToAnyPublisher() }, [[1], [2], [3]], [[1], [2], [3]]),
      ({ $0.collect(.byTime(scheduler, 5)).eraseToAnyPublisher() }, [[1, 2, 3]], []),
      ({ $0.collect(.byTimeOrCount(scheduler, 5, 2)).eraseToAnyPublisher() }, [[1, 2], [3]], [[1, 2]]),
    ]
    for (build, whole, part) in operators {
      for isFailure in [true, false] {
        let source = ManualSource<Int, TestError>()
        let recorder = record(build(source))
        for value in 1...3 { source.send(value) }
        if isFailure { source.fail(.first) } else { source.finish() }
        scheduler.run()
        #expect(recorder.values == (isFailure ? part : whole))
        #expect(recorder.log.last == (isFailure ? "first" : "finished"))
      }
    }
  }

  /// ReactiveCocoa/ReactiveSwift#137, #136
  @Test(.ownThread) func `a subject that was completed during a delivery waited for its own lock`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = SignalRecorder<Int, Never>()
    nonisolated(unsafe) var owner: OnDeinit? = OnDeinit { subject.send(completion: .finished) }
    recorder.onValue = { value in
      owner?.touch()
      if value == 1 { onAnotherThread { owner = nil } }
      return .none
    }
    subject.subscribe(recorder)
    subject.send(1)
    #expect(owner == nil)
    #expect(recorder.log == ["1", "finished"])

    let inside = PassthroughSubject<Int, Never>()
    let other = SignalRecorder<Int, Never>()
    other.onValue = { _ in
      inside.send(completion: .finished)
      return .none
    }
    inside.subscribe(other)
    inside.send(1)
    #expect(other.log == ["1", "finished"])
  }
}
