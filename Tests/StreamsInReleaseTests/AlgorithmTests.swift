import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import Testing

/// The operators that Combine does not have, specialized by the optimizer, which diagnoses more than a debug build.
struct AlgorithmTests {
  private let scheduler = DispatchQueue.test

  private func values<P: Publisher>(_ publisher: P, _ work: () -> Void = {}) -> [P.Output] {
    var values: [P.Output] = []
    let cancellable = publisher.sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
    work()
    scheduler.run()
    cancellable.cancel()
    return values
  }

  /// The values, and the completion.
  private func log<P: Publisher>(_ publisher: P) -> [String] {
    var log: [String] = []
    let cancellable = publisher.sink(
      receiveCompletion: { log.append($0.isFinished ? "finished" : "failed") }, receiveValue: { log.append("\($0)") })
    scheduler.run()
    cancellable.cancel()
    return log
  }

  @Test func `operators that combine streams`() {
    let (one, two) = ([1, 2].publisher, Just(5))
    #expect(values(one.withLatest(from: two).map { [$0.0, $0.1] }) == [[1, 5], [2, 5]])
    #expect(values(one.withLatest(from: two, two).map { [$0.0, $0.1, $0.2] }) == [[1, 5, 5], [2, 5, 5]])
    #expect(
      values(one.withLatest(from: two, two, two).map { [$0.0, $0.1, $0.2, $0.3] }) == [[1, 5, 5, 5], [2, 5, 5, 5]])
    #expect(values(one.race(with: [3].publisher)) == [1, 2])
    #expect(values([one, one].race()) == [1, 2])
    #expect(values([one, one].merge()).count == 4)
    #expect(values([one, one].zip()) == [[1, 1], [2, 2]])
    #expect(values([two, two].combineLatest()) == [[5, 5]])
    #expect(values((0..<100).map { Just($0) }.zip()) == [Array(0..<100)])
    #expect(values((0..<100).map { Just($0) }.combineLatest()) == [Array(0..<100)])
    #expect(values(one.flatMapLatest { Just($0) }) == [1, 2])
  }

  @Test func `operators that time streams`() {
    let subject = PassthroughSubject<Int, Never>()
    func send() { for value in 1...3 { subject.send(value) } }
    let open = CurrentValueSubject<Bool, Never>(true)
    #expect(values(subject.sample(by: Just(()).delay(for: 1, scheduler: scheduler)), send) == [3])
    #expect(values(subject.prefix(duration: 1, scheduler: scheduler), send) == [1, 2, 3])
    #expect(values([1].publisher.delay(subscription: 1, scheduler: scheduler)) == [1])
    #expect(values(subject.pausable(runningWhile: open), send) == [1, 2, 3])
    #expect(values(subject.pausable(runningWhile: open, buffering: 2, whenFull: .dropOldest), send) == [1, 2, 3])
    #expect(
      values(subject.rateLimit(1, per: 1, scheduler: scheduler, queueSize: 2, whenFull: .dropOldest), send) == [
        1, 2, 3,
      ])
    #expect(values(subject.prefix(while: { $0 < 2 }, behavior: .inclusive), send) == [1, 2])
    #expect(values(subject.collect(.byTime(scheduler, 1)), send) == [[1, 2, 3]])
  }

  @Test func `operators that divide streams`() {
    let numbers = [1, 2, 3].publisher
    let never = Empty<Void, Never>(completeImmediately: false)
    #expect(values(numbers.buffer(by: never, maxCount: 2)) == [[1, 2], [3]])
    #expect(values(numbers.window(by: never, bufferSize: 3).flatMap { $0.collect() }) == [[1, 2, 3]])
    #expect(
      values(numbers.groupBy({ $0 % 2 }, maxGroups: 2, bufferSize: 3).flatMap { $0.collect() }) == [[1, 3], [2]])
    #expect(values(numbers.chunked(maxCount: 2, by: { $0 < $1 })) == [[1, 2], [3]])
    #expect(values(numbers.chunked(maxCount: 5, on: { $0 / 2 }).map { $0.1 }) == [[1], [2, 3]])
    #expect(values(numbers.pairwise().map { $0 + $1 }) == [3, 5])
    #expect(values(numbers.nwise(3)) == [[1, 2, 3]])
    #expect(values(numbers.distinct(remembering: 2)) == [1, 2, 3])
  }

  @Test func `operators that share, retry and create streams`() {
    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return Fail<Int, Failure>(error: Failure())
    }
    #expect(values([1, 2].publisher.share(replay: 1)) == [1, 2])
    #expect(log(failing.retry(.delay(.seconds(1), maxRetries: 2), scheduler: scheduler)) == ["failed"])
    #expect(attempts == 3)
    #expect(log(failing.retry(when: { $0.prefix(2) })) == ["finished"])
    #expect(attempts == 6)
    #expect(values(failing.materialize()).count == 1)
    #expect(log(failing.materialize().dematerialize()) == ["failed"])
    #expect(values([1].publisher.repeat(3)) == [1, 1, 1])
    let created = CreatePublisher<Int, Never>(bufferSize: 1, whenFull: .dropOldest) { subscriber in
      subscriber.send(1)
      subscriber.send(completion: .finished)
      return AnyCancellable {}
    }
    #expect(values(created) == [1])
    let (relay, subject) = (CurrentValueRelay(1), ReplaySubject<Int, Never>(bufferSize: 2))
    relay.accept(2)
    for value in 1...3 { subject.send(value) }
    #expect(values(relay) == [2])
    #expect(values(subject) == [2, 3])
  }

  private struct Failure: Error {}
}

extension Subscribers.Completion {
  fileprivate var isFinished: Bool { if case .finished = self { true } else { false } }
}
