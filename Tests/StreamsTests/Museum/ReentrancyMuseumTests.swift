import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: code that is called while it runs.
struct ReentrancyMuseumTests {
  private let scheduler = DispatchQueue.test

  /// Operators that publish 1 and end with it, or at 2.
  private func limits(_ source: some Publisher<Int, TestError>) -> [AnyPublisher<Int, TestError>] {
    [
      source.prefix(1).eraseToAnyPublisher(), source.output(at: 0).eraseToAnyPublisher(),
      source.first().eraseToAnyPublisher(), source.first { _ in true }.eraseToAnyPublisher(),
      source.prefix { $0 < 2 }.eraseToAnyPublisher(),
    ]
  }

  /// Subscribes a recorder that does something when it receives 1.
  private func reacting(
    _ publisher: AnyPublisher<Int, TestError>,
    _ reaction: @escaping (SignalRecorder<Int, TestError>) -> Void
  ) -> SignalRecorder<Int, TestError> {
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { [unowned recorder] value in
      if value == 1 { reaction(recorder) }
      return .none
    }
    publisher.subscribe(recorder)
    return recorder
  }

  /// ReactiveX/RxJava#3346, #3384; ReactiveX/rxjs#6396 (#5487), #1967
  @Test func `prefix let pass another value that was sent during the last one, or a failure`() {
    for index in 0..<5 {
      func received(
        _ reaction: @escaping (PassthroughSubject<Int, TestError>, SignalRecorder<Int, TestError>) -> Void
      ) -> (log: [String], cancelCount: Int) {
        let subject = PassthroughSubject<Int, TestError>()
        var cancelCount = 0
        let source = subject.handleEvents(receiveCancel: { cancelCount += 1 })
        let recorder = reacting(limits(source)[index]) { reaction(subject, $0) }
        subject.send(1)
        return (recorder.log, cancelCount)
      }
      let sent = received { subject, _ in subject.send(2) }
      #expect(sent.log == ["1", "finished"])
      #expect(sent.cancelCount == 1)
      #expect(received { subject, _ in subject.send(completion: .finished) }.log == ["1", "finished"])
      // The predicate of the last one would have to see another value.
      let failure = received { subject, _ in subject.send(completion: .failure(.first)) }.log
      #expect(failure == (index < 4 ? ["1", "finished"] : ["1", "first"]))
      let cancelled = received { _, recorder in recorder.cancel() }
      #expect(cancelled.log == ["1"])
      #expect(cancelled.cancelCount == 1)
    }
    let subject = PassthroughSubject<Int, Never>()
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = {
      subject.send($0 + 1)
      return .none
    }
    subject.prefix(10).subscribe(recorder)
    subject.send(1)
    #expect(recorder.values == Array(1...10))
    #expect(recorder.completions == [.finished])
  }

  /// ReactiveX/RxSwift#2615, ReactiveX/rxjs#3609, ReactiveCocoa/ReactiveSwift#5
  @Test func `the stack overflowed when each finished publisher started the next`() {
    let count = 20_000
    let queued = record(
      (0..<count).publisher.flatMap(maxPublishers: .max(1)) { [scheduler] value in
        value == 0
          ? Just(0).delay(for: 1, scheduler: scheduler).eraseToAnyPublisher() : Just(value).eraseToAnyPublisher()
      })
    #expect(queued.log == [])
    scheduler.run()
    #expect(queued.values == Array(0..<count))
    #expect(queued.completions == [.finished])

    var chain = Empty<Int, Never>().eraseToAnyPublisher()
    for _ in 0..<10_000 { chain = chain.append(Empty()).eraseToAnyPublisher() }
    #expect(log(chain.append(1)) == ["1", "finished"])

    let outer = PassthroughSubject<Just<Int>, Never>()
    let fed = SignalRecorder<Int, Never>()
    fed.onValue = {
      if $0 < count { outer.send(Just($0 + 1)) }
      return .none
    }
    outer.switchToLatest().subscribe(fed)
    outer.send(Just(1))
    #expect(fed.values == Array(1...count))

    func attempt(_ number: Int) -> AnyPublisher<Int, TestError> {
      Fail<Int, TestError>(error: .first).catch { _ in
        number == 0 ? Fail(error: .second).eraseToAnyPublisher() : attempt(number - 1)
      }.eraseToAnyPublisher()
    }
    #expect(log(attempt(1_000)) == ["second"])

    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return Fail<Int, TestError>(error: .first)
    }
    #expect(log(failing.retry(count)) == ["first"])
    #expect(attempts == count + 1)
  }

  private final class Model: @unchecked Sendable {
    @Published var x = 0
    @Published var y = 0
  }

  /// cx-org/CombineX#103, commit 5588e87; ReactiveCocoa/ReactiveCocoa#2050, #2124, ReactiveCocoa/ReactiveSwift#766
  @Test func `a sink that used its own property stopped the program or waited for ever`() {
    let model = Model()
    var (reads, again, nested): ([Int], [Int], [Int]) = ([], [], [])
    var cancellables: Set<AnyCancellable> = []
    model.$x.sink(isolation: nil) { value in
      reads.append(model.x)
      model.y = value
      if value == 1 {
        model.x = 2
        model.$x.sink(isolation: nil) { again.append($0) }.store(in: &cancellables)
        model.$y.sink(isolation: nil) { _ in
          model.$x.sink(isolation: nil) { nested.append($0) }.store(in: &cancellables)
        }.store(in: &cancellables)
      }
    }.store(in: &cancellables)
    model.x = 1
    // What is set inside the delivery of 1 is read at once, and published after it.
    #expect(reads == [0, 0, 2])
    #expect(model.x == 2)
    #expect(model.y == 2)
    #expect(again.last == 2)
    #expect(nested.last == 2)

    let subject = CurrentValueSubject<Int, Never>(0)
    var current: [Int] = []
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { value in
      current.append(subject.value)
      if value == 1 { subject.value = 2 }
      return .none
    }
    subject.subscribe(recorder)
    subject.value = 1
    #expect(current == [0, 1, 2])
    #expect(recorder.values == [0, 1, 2])
  }

  /// ReactiveX/rxjs#5374
  @Test func `values vanished that were sent while a group was delivered`() {
    let subject = PassthroughSubject<String, Never>()
    let recorder = SignalRecorder<[String], Never>(on: scheduler)
    recorder.onValue = { group in
      if group == ["a"] { subject.send("n") }
      return .none
    }
    subject.collect(.byTime(scheduler, 2)).subscribe(recorder)
    subject.send("a")
    scheduler.advance(by: 6)
    #expect(recorder.values == [["a"], ["n"]])
    #expect(recorder.log == ["[\"a\"]@2", "[\"n\"]@4"])
  }

  /// OpenCombine/OpenCombine#73, #68
  @Test func `a sequence went on after it had been cancelled, and began with its second element`() {
    var count = 0
    weak var released: TestObject?
    let elements = AnySequence<Int> {
      let object = TestObject()
      released = object
      return AnyIterator {
        withExtendedLifetime(object) {}
        count += 1
        return count <= 5 ? count : nil
      }
    }
    let recorder = SignalRecorder<Int, Never>()
    recorder.onValue = { [unowned recorder] value in
      if value == 2 { recorder.cancel() }
      return .none
    }
    elements.publisher.subscribe(recorder)
    recorder.request(.max(1))
    #expect(recorder.log == ["1", "2"])
    #expect(count <= 3)
    #expect(released == nil)
  }

  /// ReactiveX/RxJava#6170
  @Test func `prefix(untilOutputFrom:) dropped a value that was sent from inside the one before`() {
    let (subject, stop) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let source = ManualSource<Int, Never>()
    let (first, second) = (SignalRecorder<Int, Never>(), SignalRecorder<Int, Never>())
    first.onValue = { value in
      if value == 1 { subject.send(2) }
      return .none
    }
    second.onValue = { value in
      if value == 1 { source.send(2) }
      return .none
    }
    subject.prefix(untilOutputFrom: stop).subscribe(first)
    source.prefix(untilOutputFrom: stop).subscribe(second)
    subject.send(1)
    source.send(1)
    stop.send(0)
    #expect(first.log == ["1", "2", "finished"])
    #expect(second.log == ["1", "2", "finished"])
  }

  /// ReactiveCocoa/ReactiveSwift#471
  @Test func `a subscriber of two sources ended one of them, and waited for its lock`() {
    typealias Source = PassthroughSubject<Int, Never>
    typealias Combined = AnyPublisher<String, Never>
    func received(_ build: (Source, Source) -> Combined, _ react: @escaping (Source, Source) -> Void) -> [String] {
      let (a, b) = (Source(), Source())
      let recorder = SignalRecorder<String, Never>()
      var isFirst = true
      recorder.onValue = { _ in
        if isFirst {
          isFirst = false
          react(a, b)
        }
        return .none
      }
      build(a, b).subscribe(recorder)
      a.send(1)
      b.send(10)
      b.send(20)
      b.send(completion: .finished)
      return recorder.log
    }
    func latest(_ a: Source, _ b: Source) -> Combined { a.combineLatest(b) { "\($0 + $1)" }.eraseToAnyPublisher() }
    func zipped(_ a: Source, _ b: Source) -> Combined { a.zip(b) { "\($0 + $1)" }.eraseToAnyPublisher() }
    func merged(_ a: Source, _ b: Source) -> Combined { a.merge(with: b).map { "\($0)" }.eraseToAnyPublisher() }
    func finish(_ a: Source, _ b: Source) { a.send(completion: .finished) }
    func send(_ a: Source, _ b: Source) { b.send(15) }

    #expect(received(latest, finish) == ["11", "21", "finished"])
    #expect(received(zipped, finish) == ["11", "finished"])
    #expect(received(merged, finish) == ["1", "10", "20", "finished"])
    #expect(received(latest, send) == ["11", "16", "21"])
    #expect(received(zipped, send) == ["11"])
    #expect(received(merged, send) == ["1", "15", "10", "20"])
  }

  /// pointfreeco/combine-schedulers#11, ReactiveX/rxjs#6764
  ///
  /// Chosen here: an interval is over at once on a scheduler that runs work at once, except that of `timeout`, which
  /// never elapses there.
  @Test func `debounce published nothing on a scheduler that runs work at once`() {
    let immediate = DispatchQueue.immediate
    let values = [1, 2].publisher
    let both = ["1", "2", "finished"]
    #expect(log(values.debounce(for: 1, scheduler: immediate)) == both)
    #expect(log(values.throttle(for: 1, scheduler: immediate, latest: true)) == both)
    #expect(log(values.delay(for: 1, scheduler: immediate)) == both)
    #expect(log(values.timeout(1, scheduler: immediate)) == both)
    #expect(log(Empty<Int, Never>(completeImmediately: false).timeout(1, scheduler: immediate)) == [])
    #expect(log(values.collect(.byTime(immediate, 1))) == ["[1]", "[2]", "finished"])
  }

  /// ReactiveX/RxSwift#2615, ReactiveX/rxjs#3609, ReactiveCocoa/ReactiveSwift#5
  @Test(.ownThread) func `a small stack overflowed when each finished publisher started the next`() {
    let (counts, isDone) = (Locker<[Int]>([]), DispatchSemaphore(value: 0))
    let thread = Thread {
      func note<P: Publisher>(_ publisher: P) {
        counts.change { [count = collect(publisher).count] in $0.append(count) }
      }
      note((0..<20_000).publisher.flatMap(maxPublishers: .max(1)) { Just($0) })
      note((0..<20_000).publisher.map { Just($0) }.switchToLatest())
      var chain = Empty<Int, Never>().eraseToAnyPublisher()
      for _ in 0..<10_000 { chain = chain.append(Empty()).eraseToAnyPublisher() }
      note(chain.append(1))
      var attempts = 0
      note(
        Deferred {
          attempts += 1
          return Fail<Int, TestError>(error: .first)
        }.retry(20_000))
      counts.change { [attempts] in $0.append(attempts) }
      isDone.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(isDone.wait(timeout: .hang) == .success)
    #expect(counts.value == [20_000, 20_000, 1, 0, 20_001])
  }
}
