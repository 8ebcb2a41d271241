import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams
import StreamsMigration
import Testing

/// The rows of the article's table of CombineExt that `CombineExtOperatorsTests` lacks, in the order of the table.
@Suite struct CombineExtTableTests {
  private let numbers = [1, 2, 3].publisher

  @available(*, deprecated)
  @Test func `types have the names that CombineExt gives them`() {
    let raced: Publishers.Amb<Just<Int>, Just<Int>> = Just(1).amb(Just(2))
    #expect(collect(raced) == [1])
    let begin: Publishers.Create<Int, TestError>.SubscriberHandler = { subscriber in
      subscriber.send(1)
      subscriber.send(completion: .finished)
      return AnyCancellable {}
    }
    let created: Publishers.Create<Int, TestError> = Publishers.Create(begin)
    #expect(log(created) == ["1", "finished"])
    let events: Publishers.Materialize<Just<Int>> = Just(1).materialize()
    let values: Publishers.Dematerialize<Publishers.Materialize<Just<Int>>, Int, Never> = events.dematerialize()
    #expect(collect(values) == [1])
    let event: Event<Int, TestError> = .value(1)
    #expect(event.value == 1)
    let behavior: PrefixWhileBehavior = .inclusive
    #expect(collect(numbers.prefix(while: { $0 < 2 }, behavior: behavior)) == [1, 2])
    let ownership = ObjectOwnership.weak
    #expect(ownership == .weak)
  }

  @available(*, deprecated)
  @Test func `types have the initializers that CombineExt gives them`() {
    let raced = Publishers.Amb(first: Just(1), second: Just(2))
    #expect(collect(raced) == [1])
    let named = Publishers.Amb<Empty<Int, Never>, Just<Int>>(
      first: Empty(completeImmediately: false), second: Just(2))
    #expect(collect(named) == [2])
    let created = Publishers.Create<Int, TestError>(factory: { subscriber in
      subscriber.send(1)
      subscriber.send(completion: .finished)
      return AnyCancellable {}
    })
    #expect(log(created) == ["1", "finished"])
    // With a trailing closure, the label is omitted.
    let trailing = Publishers.Create<Int, TestError> { subscriber in
      subscriber.send(completion: .finished)
      return AnyCancellable {}
    }
    #expect(log(trailing) == ["finished"])
    let events = Publishers.Materialize(upstream: Just(1))
    #expect(collect(Publishers.Dematerialize(upstream: events)) == [1])
  }

  @available(*, deprecated)
  @Test func `withLatestFrom returns the type that CombineExt names`() {
    let others: Publishers.WithLatestFrom<Just<Int>, Just<String>, String> = Just(1).withLatestFrom(Just("a"))
    #expect(collect(others) == ["a"])
    let selected: Publishers.WithLatestFrom<Just<Int>, Just<String>, Int> =
      Just(1).withLatestFrom(Just("a")) { number, text in number + text.count }
    #expect(collect(selected) == [2])
  }

  @available(*, deprecated)
  @Test func `types that were in Publishers are found there`() {
    let enumerated: EnumeratedPublisher<Just<Int>> = Just(1).enumerated()
    #expect(collect(enumerated).map(\.offset) == [0])
    let grouped: GroupByPublisher<Just<Int>, Bool> = Just(1).groupBy({ $0 > 0 }, maxGroups: 1, bufferSize: 1)
    let groups: [GroupedPublisher<Bool, Int, Never>] = collect(grouped)
    #expect(groups.map(\.key) == [true])
    let zipped: ZipManyPublisher<Just<Int>> = [Just(1), Just(2)].zip()
    #expect(collect(zipped) == [[1, 2]])
    let shared: ShareReplayPublisher<Just<Int>> = Just(1).share(replay: 1)
    #expect(collect(shared) == [1])
  }

  @Test func `relays have a value, accept values and subscribe to publishers`() {
    let (current, passthrough) = (CurrentValueRelay<Int>(1), PassthroughRelay<Int>())
    let recorders = [record(current), record(passthrough)]
    current.accept(2)
    passthrough.accept(3)
    #expect(current.value == 2)
    let subscription = numbers.subscribe(passthrough)
    #expect(recorders.map(\.values) == [[1, 2], [3, 1, 2, 3]])
    subscription.cancel()
  }

  @available(*, deprecated)
  @Test func `events are made of signals, and divided into values and failures`() {
    let failed = numbers.setFailureType(to: TestError.self).append(Fail(error: .first)).materialize()
    #expect(collect(failed.values()) == [1, 2, 3])
    #expect(collect(failed.failures()) == [.first])
    #expect(log(failed.dematerialize()) == ["1", "2", "3", "first"])
  }

  @Test func `a value is ignored while the publisher of an earlier one has not ended`() {
    let (outer, inner) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let recorder = record(outer.flatMapFirst { number in inner.map { number * 10 + $0 } })
    outer.send(1)
    outer.send(2)
    inner.send(3)
    #expect(recorder.values == [13])
  }

  @Test func `failures are ignored or become results`() {
    let failed = Fail<Int, TestError>(error: .first)
    #expect(log(failed.ignoreFailure()) == ["finished"])
    #expect(collect(failed.mapToResult()) == [.failure(.first)])
  }

  @Test func `collections of publishers are merged, zipped and combined`() {
    #expect(collect([Just(1), Just(2)].merge()) == [1, 2])
    #expect(collect([Just(1), Just(2)].zip()) == [[1, 2]])
    #expect(collect([Just(1), Just(2)].combineLatest()) == [[1, 2]])
    #expect(collect(Just(1).merge(with: [Just(2), Just(3)])) == [1, 2, 3])
  }

  @Test func `values are seen with those before them`() {
    #expect(collect(numbers.pairwise()).map { [$0.0, $0.1] } == [[1, 2], [2, 3]])
    #expect(collect(numbers.nwise(3)) == [[1, 2, 3]])
  }

  @Test func `values are divided by a predicate, and Boolean ones are inverted`() {
    let (matches, others) = numbers.partition { $0 > 1 }
    #expect(collect(matches) == [2, 3])
    #expect(collect(others) == [1])
    #expect(collect(Just(true).toggle()) == [false])
  }

  @Test func `subjects and shared publishers replay values`() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    for number in 1...3 { subject.send(number) }
    #expect(record(subject).values == [2, 3])
    let source = PassthroughSubject<Int, Never>()
    let shared = source.share(replay: 1)
    let first = record(shared)
    source.send(4)
    #expect(record(shared).values == [4])
    #expect(first.values == [4])
  }

  @Test func `publishers without values take another type`() {
    #expect(log(Empty<Never, Never>().setOutputType(to: String.self)) == ["finished"])
    struct Point { var x: Int }
    #expect(collect([1, 1, 2].map(Point.init).publisher.removeDuplicates { $0.x == $1.x }).map(\.x) == [1, 2])
  }

  @Test func `the result of a task is a publisher`() async {
    var values: [Int] = []
    for await value
      in (Deferred {
        Future {
          await Task.yield(); return 1
        }
      }).values
    { values.append(value) }
    #expect(values == [1])
  }
}
