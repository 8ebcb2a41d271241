import Dispatch
import StreamSchedulers
import Streams
import Testing

/// Code as it is written with CombineExt, whose names are available for our operators.
struct CombineExtNamesTests {
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

  @Test func `amb is race`() {
    let never = Empty<Int, Never>(completeImmediately: false)
    #expect(collect(never.amb(with: Just(1))) == [1])
    #expect(collect(never.amb(with: [Just(1), Just(2)])) == [1])
    #expect(collect([Just(1), Just(2)].amb()) == [1])
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

  @Test func `prefix takes a duration and a scheduler`() {
    let scheduler = DispatchQueue.test
    let recorder = record(main.prefix(duration: .seconds(1), on: scheduler))
    scheduler.advance(by: .seconds(1))
    #expect(recorder.log == ["finished"])
  }

  @Test func `zip and combineLatest of collections return AnyPublisher where it is expected`() {
    let zipped: AnyPublisher<[Int], Never> = [Just(1), Just(2)].zip()
    let latest: AnyPublisher<[Int], Never> = [Just(1), Just(2)].combineLatest()
    #expect(collect(zipped) == [[1, 2]])
    #expect(collect(latest) == [[1, 2]])
    let kept: ExtendedPublishers.ZipMany<Just<Int>> = [Just(1)].zip()
    #expect(collect(kept) == [[1]])
    // Without a type annotation the operator's own type is chosen.
    #expect(type(of: [Just(1)].zip()) == ExtendedPublishers.ZipMany<Just<Int>>.self)
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
    #expect(recorder.log == ["1", "2", "3", "first"])
  }

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
  }

  @Test func `other operators have CombineExt's names and labels`() {
    #expect(log(Fail<Int, TestError>(error: .first).ignoreFailure(setFailureType: Never.self)) == ["finished"])
    #expect(log(Just(1).ignoreOutput(setOutputType: String.self)) == ["finished"])
    #expect(collect(Just(1).mapToValue("a")) == ["a"])
    #expect(collect(Just(1).mapToVoid()).count == 1)
    #expect(collect([1, 2, 1].publisher.removeAllDuplicates()) == [1, 2])
    #expect(collect([[1, 2].publisher, [3].publisher].publisher.flatMapBatches(of: 1)) == [1, 2, 3])
    #expect(collect([1, 2, 3].publisher.prefix(while: { $0 < 2 }, behavior: .inclusive)) == [1, 2])
  }

  private final class Label {
    var text = ""
    var title = ""
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
