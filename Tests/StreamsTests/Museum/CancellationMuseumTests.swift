import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// Bugs of other reactive libraries: cancellation.
struct CancellationMuseumTests {
  private let scheduler = DispatchQueue.test

  /// ReactiveX/RxSwift#2298
  @Test func `an endless retry could not be stopped`() {
    var attempts = 0
    let publisher = Deferred {
      attempts += 1
      return Just(0).setFailureType(to: TestError.self).append(Fail(error: .first))
    }.retry(.max)
    #expect(log(publisher.first()) == ["0", "finished"])
    #expect(attempts == 1)

    attempts = 0
    let recorder = SignalRecorder<Int, TestError>()
    recorder.onValue = { [unowned recorder] _ in
      if attempts == 3 { recorder.cancel() }
      return .none
    }
    publisher.subscribe(recorder)
    #expect(recorder.log == ["0", "0", "0"])
    #expect(attempts == 3)
  }

  /// ReactiveX/RxJava#5100, #5101; reactor/reactor-core#2791; ReactiveX/RxSwift#303
  @Test func `append subscribed to its suffix after it had been cancelled`() {
    var subscriptions = 0
    let suffix = Deferred {
      subscriptions += 1
      return Just(2)
    }
    #expect(log(Deferred { Just(1) }.append(suffix).first()) == ["1", "finished"])
    #expect(subscriptions == 0)
  }

  /// ReactiveX/RxJava#6259, #6258
  @Test func `a publisher that had finished was cancelled`() {
    typealias Source = ManualSource<Int, TestError>
    let sources = (0..<9).map { _ in Source() }
    func check(_ recorder: SignalRecorder<Int, TestError>, _ first: Int, end: (Source) -> Void) {
      end(sources[first])
      recorder.cancel()
      #expect(sources[first].cancelCount == 0)
    }
    check(record(sources[0].append(sources[1])), 0) { $0.finish() }
    #expect(sources[1].cancelCount == 1)
    check(record(sources[2].catch { _ in sources[3] }), 2) { $0.fail(.first) }
    #expect(sources[3].cancelCount == 1)

    let outer = PassthroughSubject<Source, TestError>()
    let switching = record(outer.switchToLatest())
    outer.send(sources[4])
    sources[4].finish()
    outer.send(sources[5])
    check(switching, 5) { $0.finish() }
    #expect(sources[4].cancelCount == 0)

    let flattened = record(outer.flatMap { $0 })
    outer.send(sources[6])
    outer.send(sources[7])
    check(flattened, 6) { $0.finish() }
    #expect(sources[7].cancelCount == 1)

    let retried = record(sources[8].retry(1))
    sources[8].fail(.first)
    #expect(sources[8].cancelCount == 0)
    sources[8].fail(.second)
    retried.cancel()
    #expect(sources[8].cancelCount == 0)
    #expect(retried.log == ["second"])
  }

  /// ReactiveX/RxJava#5832, #4987, #6598, #6826
  @Test func `one of two sources failed, and the other was left running`() {
    typealias Source = ManualSource<Int, TestError>
    func check(_ build: (Source, Source) -> AnyPublisher<Int, TestError>, line: SourceLocation = #_sourceLocation) {
      for isFirst in [true, false] {
        let (a, b) = (Source(), Source())
        let recorder = SignalRecorder<Int, TestError>()
        var cancelled = -1
        recorder.onCompletion = { cancelled = (isFirst ? b : a).cancelCount }
        build(a, b).subscribe(recorder)
        (isFirst ? a : b).fail(.first)
        #expect(recorder.log == ["first"], sourceLocation: line)
        #expect(cancelled == 1, sourceLocation: line)
        #expect((isFirst ? b : a).cancelCount == 1, sourceLocation: line)
        #expect((isFirst ? a : b).cancelCount == 0, sourceLocation: line)
      }
    }
    check { $0.merge(with: $1).eraseToAnyPublisher() }
    check { $0.combineLatest($1) { $0 + $1 }.eraseToAnyPublisher() }
    check { $0.zip($1) { $0 + $1 }.eraseToAnyPublisher() }
    check { a, b in
      Just(b).setFailureType(to: TestError.self).append(a.map { _ in b }).flatMap { $0 }
        .eraseToAnyPublisher()
    }
    check { a, b in
      Just(b).setFailureType(to: TestError.self).append(a.map { _ in b }).switchToLatest()
        .eraseToAnyPublisher()
    }

    // The first one fails at once.
    let failing = Fail<Int, TestError>(error: .first)
    let source = Source()
    #expect(log(failing.merge(with: source)) == ["first"])
    #expect(log(failing.combineLatest(source) { $0 + $1 }) == ["first"])
    #expect(log(failing.zip(source) { $0 + $1 }) == ["first"])
    #expect(source.subscriberCount == source.cancelCount)
  }

  /// CombineCommunity/CombineExt#108, commit 547d11a
  @Test func `an operator forgot upstream without cancelling it`() {
    typealias Source = ManualSource<Int, TestError>
    typealias Build = (Source) -> AnyPublisher<String, TestError>
    let scheduler = scheduler
    let operators: [(name: String, build: Build)] = [
      ("map", { $0.map { "\($0)" }.eraseToAnyPublisher() }),
      ("filter", { $0.filter { _ in true }.map { "\($0)" }.eraseToAnyPublisher() }),
      ("scan", { $0.scan(0, +).map { "\($0)" }.eraseToAnyPublisher() }),
      ("prefix", { $0.prefix(5).map { "\($0)" }.eraseToAnyPublisher() }),
      ("dropFirst", { $0.dropFirst(0).map { "\($0)" }.eraseToAnyPublisher() }),
      ("removeDuplicates", { $0.removeDuplicates().map { "\($0)" }.eraseToAnyPublisher() }),
      ("collect", { $0.collect().map { "\($0)" }.eraseToAnyPublisher() }),
      ("collect(1)", { $0.collect(1).map { "\($0)" }.eraseToAnyPublisher() }),
      ("reduce", { $0.reduce(0, +).map { "\($0)" }.eraseToAnyPublisher() }),
      ("last", { $0.last().map { "\($0)" }.eraseToAnyPublisher() }),
      ("flatMap", { $0.flatMap { Just("\($0)").setFailureType(to: TestError.self) }.eraseToAnyPublisher() }),
      (
        "switchToLatest",
        {
          $0.map { Just("\($0)").setFailureType(to: TestError.self) }.switchToLatest()
            .eraseToAnyPublisher()
        }
      ),
      ("merge", { $0.merge(with: Empty(completeImmediately: false)).map { "\($0)" }.eraseToAnyPublisher() }),
      ("append", { $0.append(0).map { "\($0)" }.eraseToAnyPublisher() }),
      ("catch", { $0.catch { _ in Fail<Int, TestError>(error: .second) }.map { "\($0)" }.eraseToAnyPublisher() }),
      ("retry", { $0.retry(1).map { "\($0)" }.eraseToAnyPublisher() }),
      ("share", { $0.share().map { "\($0)" }.eraseToAnyPublisher() }),
      (
        "buffer",
        {
          $0.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest).map { "\($0)" }
            .eraseToAnyPublisher()
        }
      ),
      ("debounce", { $0.debounce(for: 1, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("throttle", { $0.throttle(for: 1, scheduler: scheduler, latest: true).map { "\($0)" }.eraseToAnyPublisher() }),
      ("timeout", { $0.timeout(1, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("delay", { $0.delay(for: 1, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("receive", { $0.receive(on: scheduler).map { "\($0)" }.eraseToAnyPublisher() }),
      ("materialize", { $0.materialize().map { "\($0)" }.setFailureType(to: TestError.self).eraseToAnyPublisher() }),
    ]
    for (name, build) in operators {
      for when in ["in the subscription", "before demand", "after a value", "in a value"] {
        let source = Source()
        // `map` and `filter` forward the subscription, and rely on it to cancel once (contract, rule 17).
        let forwards = name == "map" || name == "filter"
        source.ignoresCancellation = !forwards
        let recorder = SignalRecorder<String, TestError>(when == "before demand" ? .none : .unlimited)
        if when == "in the subscription" { recorder.onSubscription = { $0.cancel() } }
        if when == "in a value" {
          recorder.onValue = { [unowned recorder] _ in
            recorder.cancel()
            return .none
          }
        }
        build(source).subscribe(recorder)
        if when == "after a value" || when == "in a value" { source.send(1) }
        scheduler.advance()
        if when == "in a value" { scheduler.advance(by: 0.5) }
        let count = recorder.log.count
        if when != "in a value" || count == 0 { recorder.cancel() }
        recorder.cancel()
        source.send(2)
        source.finish()
        scheduler.run()
        if forwards {
          #expect(source.cancelCount > 0, "\(name), \(when)")
        } else {
          #expect(source.cancelCount == source.subscriberCount, "\(name), \(when)")
        }
        #expect(recorder.log.count == count, "\(name), \(when)")
      }
    }
  }

  /// ReactiveX/RxSwift#1778, #2268
  @Test func `a value that was queued arrived after a cancellation on its queue`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = record(subject.receive(on: scheduler))
    scheduler.schedule { recorder.cancel() }
    for value in 1...3 { subject.send(value) }
    scheduler.run()
    #expect(recorder.log == [])

    let inside = SignalRecorder<Int, Never>()
    inside.onValue = { [unowned inside] _ in
      inside.cancel()
      return .none
    }
    subject.receive(on: scheduler).subscribe(inside)
    for value in 1...3 { subject.send(value) }
    scheduler.run()
    #expect(inside.log == ["1"])
  }
}
