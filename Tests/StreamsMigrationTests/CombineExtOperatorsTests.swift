import Dispatch
import StreamSchedulers
import Streams
import StreamsMigration
import SuiteSupport
import Testing

/// Code as it is written with CombineExt, whose names are available for our operators.
struct CombineExtOperatorsTests {
  private let main = PassthroughSubject<Int, Never>()
  private let other = CurrentValueSubject<String, Never>("a")

  @Test func `withLatestFrom publishes the values of the other publishers`() {
    let one = record(main.withLatestFrom(other))
    let selected = record(main.withLatestFrom(other) { "\($0)\($1)" })
    let two = record(main.withLatestFrom(other, Just(2)).map { "\($0.0)\($0.1)" })
    let three = record(main.withLatestFrom(other, Just(2), Just(3)).map { "\($0.0)\($0.1)\($0.2)" })
    let selectedOfTwo = record(main.withLatestFrom(other, Just(2)) { "\($0)\($1.0)\($1.1)" })
    let selectedOfThree = record(main.withLatestFrom(other, Just(2), Just(3)) { "\($0)\($1.0)\($1.1)\($1.2)" })
    main.send(1)
    #expect(one.values == ["a"])
    #expect(selected.values == ["1a"])
    #expect(two.values == ["a2"])
    #expect(three.values == ["a23"])
    #expect(selectedOfTwo.values == ["1a2"])
    #expect(selectedOfThree.values == ["1a23"])
  }

  @Test func `withLatestFrom takes the values of a source that waits for demand after the other's first`() {
    let late = PassthroughSubject<String, Never>()
    let recorder = record([1, 2].publisher.withLatestFrom(late) { "\($0)\($1)" })
    late.send("a")
    #expect(recorder.log == ["1a", "2a", "finished"])
  }

  @available(*, deprecated)
  @Test func `amb is race, of two, of several and of a collection`() {
    let never = Empty<Int, Never>(completeImmediately: false)
    #expect(collect(never.amb(Just(1))) == [1])
    #expect(collect(never.amb(with: Just(1))) == [1])
    let several: AnyPublisher<Int, Never> = never.amb(with: Just(1), Just(2), Just(3))
    #expect(collect(several) == [1])
    let collection: AnyPublisher<Int, Never> = never.amb(with: [Just(1), Just(2)])
    #expect(collect(collection) == [1])
    #expect(collect([Just(1), Just(2)].amb()) == [1])
  }

  @Test func `zip and combineLatest take others of another type, several of them or a collection`() {
    let numbers = [1, 2].publisher
    let zipped: AnyPublisher<[Int], Never> = numbers.zip(
      with: [3, 4].publisher.map { $0 }, [5, 6].publisher.map { $0 })
    #expect(collect(zipped) == [[1, 3, 5], [2, 4, 6]])
    let zippedCollection: AnyPublisher<[Int], Never> = numbers.zip(with: [Just(3), Just(5)])
    #expect(collect(zippedCollection) == [[1, 3, 5]])
    let latest: AnyPublisher<[Int], Never> = numbers.combineLatest(with: Just(3), Just(5))
    #expect(collect(latest) == [[2, 3, 5]])
    let latestCollection: AnyPublisher<[Int], Never> = numbers.combineLatest(with: [Just(3), Just(5)])
    #expect(collect(latestCollection) == [[2, 3, 5]])
    // Of one type, the operator's own type is chosen.
    #expect(type(of: Just(1).zip(with: [Just(2)])) == ZipManyPublisher<Just<Int>>.self)
  }

  @Test func `flatMapLatest takes a transform that returns a publisher`() {
    func load(_ id: Int) -> AnyPublisher<String, Never> { Just("\(id)").eraseToAnyPublisher() }
    let recorder = record(main.flatMapLatest { load($0) })
    let result: AnyPublisher<String, Never> = main.flatMapLatest { id in load(id) }.eraseToAnyPublisher()
    let second = record(result)
    main.send(1)
    #expect(recorder.values == ["1"])
    #expect(second.values == ["1"])
  }

  @available(*, deprecated)
  @Test func `prefix takes a duration and a scheduler`() {
    let scheduler = DispatchQueue.test
    let recorder = record(main.prefix(duration: .seconds(1), on: scheduler))
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func `zip and combineLatest of collections return AnyPublisher, unless another type is expected`() {
    let zipped: AnyPublisher<[Int], Never> = [Just(1), Just(2)].zip()
    let latest: AnyPublisher<[Int], Never> = [Just(1), Just(2)].combineLatest()
    #expect(collect(zipped) == [[1, 2]])
    #expect(collect(latest) == [[1, 2]])
    let kept: ZipManyPublisher<Just<Int>> = [Just(1)].zip()
    #expect(collect(kept) == [[1]])
    // Without a type annotation, CombineExt's type is chosen.
    #expect(type(of: [Just(1)].zip()) == AnyPublisher<[Int], Never>.self)
  }

  @Test func `concatenate subscribes to publishers one after another`() {
    #expect(collect([[1, 2].publisher, [3].publisher].concatenate()) == [1, 2, 3])
    #expect(collect((0..<10_000).map { Just($0) }.concatenate()) == Array(0..<10_000))
  }

  @Test func `mapMany and filterMany transform the elements of a collection`() {
    #expect(collect(Just([1, 2, 3]).mapMany { $0 * 2 }) == [[2, 4, 6]])
    #expect(collect(Just(Set([2])).mapMany(String.init)) == [["2"]])
    #expect(collect(Just([1, 2, 3]).filterMany { $0 > 1 }) == [[2, 3]])
  }

  @Test func `create publishes the values that a closure sends`() {
    let created = AnyPublisher<Int, TestError>.create { subscriber in
      subscriber.send(1)
      subscriber.send(completion: .finished)
      return AnyCancellable {}
    }
    #expect(log(created) == ["1", "finished"])
    let initialized = AnyPublisher<Int, TestError> { subscriber in
      for value in 1...3 { subscriber.send(value) }
      subscriber.send(completion: .failure(.first))
      return AnyCancellable {}
    }
    let recorder = record(initialized, .max(1))
    recorder.request(.unlimited)
    #expect(recorder.log == ["1", "first"])
  }

  @available(*, deprecated)
  @Test func `retryWhen retries when its trigger publishes`() {
    var attempts = 0
    let failing = Deferred {
      attempts += 1
      return attempts < 3
        ? Fail<Int, TestError>(error: .first).eraseToAnyPublisher()
        : Just(attempts).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }
    #expect(log(failing.retryWhen { $0.map { _ in } }) == ["3", "finished"])
    attempts = 0
    #expect(log(failing.retryWhen { $0.setFailureType(to: TestError.self).prefix(1) }) == ["finished"])
    attempts = 0
    let stopped = failing.retryWhen { failures in
      failures.tryMap { error in if attempts == 2 { throw error } }
    }
    #expect(log(stopped) == ["first"])
    #expect(attempts == 2)
  }

  @Test func `other operators have CombineExt's names and labels`() {
    #expect(log(Fail<Int, TestError>(error: .first).ignoreFailure(setFailureType: Never.self)) == ["finished"])
    let ignored = Fail<Int, TestError>(error: .first).ignoreFailure(
      setFailureType: Never.self, completeImmediately: false)
    #expect(log(ignored) == [])
    #expect(log(Just(1).ignoreOutput(setOutputType: String.self)) == ["finished"])
    #expect(collect(Just(1).mapToValue("a")) == ["a"])
    #expect(collect(Just(1).mapToVoid()).count == 1)
    #expect(collect(["a", "b"].publisher.enumerated(initial: 1)).map(\.0) == [1, 2])
    #expect(collect([1, 2, 3].publisher.prefix(while: { $0 < 2 }, behavior: .inclusive)) == [1, 2])
  }

  @available(*, deprecated)
  @Test func `removeAllDuplicates takes hashable values, equatable ones and a predicate`() {
    struct Equal: Equatable { let id: Int }
    #expect(collect([1, 2, 1].publisher.removeAllDuplicates()) == [1, 2])
    #expect(collect([1, 2, 1].map(Equal.init).publisher.removeAllDuplicates()) == [1, 2].map(Equal.init))
    #expect(collect([1, -1, 2].publisher.removeAllDuplicates { $0.magnitude == $1.magnitude }) == [1, 2])
  }

  @Test func `flatMapBatches publishes an array for each batch, and subscribes to one batch at a time`() {
    let publisher: AnyPublisher<[Int], Never> = (1...5).map { Just($0) }.flatMapBatches(of: 2)
    #expect(collect(publisher) == [[1, 2], [3, 4], [5]])
    let sources = (0..<3).map { _ in ManualSource<Int, TestError>() }
    let recorder = record(sources.flatMapBatches(of: 2))
    #expect(sources.map(\.subscriberCount) == [1, 1, 0])
    for (source, value) in zip(sources, 1...) { source.send(value) }
    sources[0].finish()
    sources[1].finish()
    #expect(sources.map(\.subscriberCount) == [1, 1, 1])
    sources[2].send(3)
    sources[2].fail(.first)
    #expect(recorder.values == [[1, 2], [3]])
    #expect(recorder.failures == [.first])
    #expect(collect([Just<Int>]().flatMapBatches(of: 1)) == [])
  }

  @Test(.exits) func `a batch of no publishers stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = [Just(1)].flatMapBatches(of: 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("flatMapBatches(of:) requires a size of at least 1, got 0."))
  }

  private final class Label {
    var text = ""
    var title = ""
  }

  @Test(arguments: [ObjectOwnership.strong, .weak, .unowned])
  func `assign takes one, two and three objects with an ownership`(ownership: ObjectOwnership) {
    var labels: [Label] = (0..<3).map { _ in Label() }
    weak let witness = labels[0]
    var cancellables: [AnyCancellable] = [
      other.assign(to: \.text, on: labels[0], ownership: ownership),
      other.assign(to: \.title, on: labels[0], and: \.text, on: labels[1], ownership: ownership),
      other.assign(
        to: \.title, on: labels[1], and: \.text, on: labels[2], and: \.title, on: labels[2], ownership: ownership),
    ]
    #expect(labels.map(\.text) == ["a", "a", "a"])
    #expect(labels.map(\.title) == ["a", "a", "a"])
    other.value = "b"
    #expect(labels.map(\.text) + labels.map(\.title) == ["b", "b", "b", "b", "b", "b"])
    if ownership == .unowned { cancellables = [] }
    labels = []
    #expect((witness != nil) == (ownership == .strong))
    other.value = "c"
    for cancellable in cancellables { cancellable.cancel() }
    #expect(witness == nil)
  }

  @Test func `assign takes three objects and retains them`() {
    let label = Label()
    weak var witness: Label?
    var cancellable: AnyCancellable?
    do {
      let last = Label()
      witness = last
      cancellable = other.assign(to: \.text, on: label, and: \.title, on: label, and: \.text, on: last)
    }
    #expect(label.text == "a")
    #expect(label.title == "a")
    #expect(witness?.text == "a")
    _ = cancellable
    cancellable = nil
    #expect(witness == nil)
  }

  @Test func `assign takes two objects and an ownership`() {
    let (first, second) = (Label(), Label())
    var cancellables: Set<AnyCancellable> = []
    other.assign(to: \.text, on: first, and: \.title, on: second).store(in: &cancellables)
    #expect(first.text == "a")
    #expect(second.title == "a")

    var weakly: Label? = Label()
    weak var reference = weakly
    other.assign(to: \.text, on: weakly!, ownership: .weak).store(in: &cancellables)
    #expect(weakly?.text == "a")
    weakly = nil
    #expect(reference == nil)
    other.value = "b"

    var strongly: Label? = Label()
    reference = strongly
    other.assign(to: \.text, on: strongly!, ownership: .strong).store(in: &cancellables)
    strongly = nil
    #expect(reference?.text == "b")
    cancellables = []
    #expect(reference == nil)

    let unowned = other.assign(to: \.text, on: second, ownership: .unowned)
    #expect(second.text == "b")
    unowned.cancel()
  }
}
