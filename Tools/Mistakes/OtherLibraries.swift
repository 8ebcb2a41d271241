// Expected diagnostics stand in the line of the mistake, regardless of its length.
// swift-format-ignore-file
import Dispatch
import StreamSchedulers
import StreamsMigration

struct Oops: Error {}

func names(_ ints: AnyPublisher<Int, Never>, _ strings: AnyPublisher<String, Never>, _ failing: AnyPublisher<Int, Oops>, _ queue: DispatchQueue) {
  _ = ints.distinctUntilChanged()  // expect: renamed to 'removeDuplicates()'
  _ = ints.skipRepeats()  // expect: renamed to 'removeDuplicates()'
  _ = ints.startWith(1)  // expect: renamed to 'prepend(_:)'
  _ = ints.concat(ints)  // expect: renamed to 'append(_:)'
  _ = ints.switchMap { Just($0) }  // expect: renamed to 'flatMapLatest(_:)'
  _ = ints.concatMap { Just($0) }  // expect: use flatMap(maxPublishers: .max(1))
  _ = ints.exhaustMap { Just($0) }  // expect: renamed to 'flatMapFirst(_:)'
  _ = ints.take(3)  // expect: renamed to 'prefix(_:)'
  _ = ints.take(until: strings)  // expect: renamed to 'prefix(untilOutputFrom:)'
  _ = ints.takeUntil(strings)  // expect: renamed to 'prefix(untilOutputFrom:)'
  _ = ints.take(while: { $0 > 1 })  // expect: renamed to 'prefix(while:)'
  _ = ints.skip(1)  // expect: renamed to 'dropFirst(_:)'
  _ = ints.skip(until: strings)  // expect: renamed to 'drop(untilOutputFrom:)'
  _ = ints.tap { print($0) }  // expect: renamed to 'handleEvents(receiveOutput:)'
  _ = ints.do(onNext: { print($0) })  // expect: renamed to 'handleEvents(receiveOutput:)'
  _ = ints.shareReplay(1)  // expect: renamed to 'share(replay:)'
  _ = failing.catchAndReturn(1)  // expect: renamed to 'replaceError(with:)'
  _ = ints.toArray()  // expect: renamed to 'collect()'
  _ = ints.observe(on: queue)  // expect: renamed to 'receive(on:)'
  _ = ints.subscribe(onNext: { print($0) })  // expect: renamed to 'sink(receiveValue:)'
  _ = failing.subscribe(onNext: { print($0) }, onError: { print($0) })  // expect: use sink { completion in … } receiveValue: { value in … }
  _ = ints.asObservable()  // expect: renamed to 'eraseToAnyPublisher()'
  _ = ints.debug("x")  // expect: renamed to 'print(_:)'
  _ = ints.combinePrevious()  // expect: renamed to 'pairwise()'
  _ = ints.ifEmpty(switchTo: ints)  // expect: renamed to 'switchIfEmpty(to:)'
  _ = ints.bind(to: "label")  // expect: use assign(to:), subscribe(_:) with a subject, or sink(receiveValue:)
  _ = failing.asDriver(onErrorJustReturn: 1)  // expect: use replaceError(with:) and receive(on: MainActor.shared)
  _ = ints.drive(onNext: { print($0) })  // expect: renamed to 'sink(receiveValue:)'
  let subject = PassthroughSubject<Int, Oops>()
  subject.onNext(1)  // expect: renamed to 'send(_:)'
  subject.onError(Oops())  // expect: use send(completion: .failure(error))
  subject.onCompleted()  // expect: use send(completion: .finished)
  var bag: Set<AnyCancellable> = []
  ints.sink { print($0) }.disposed(by: &bag)  // expect: renamed to 'store(in:)'
  ints.sink { print($0) }.disposed(by: "bag")  // expect: use store(in: &cancellables) with a Set<AnyCancellable>
  ints.sink { print($0) }.dispose()  // expect: renamed to 'cancel()'
}

final class Types {
  let bag = DisposeBag()  // expect: use a Set<AnyCancellable>, and store(in: &cancellables)
  let taps = PublishSubject<Int>()  // expect: use PassthroughSubject<Element, any Error>
  let value = BehaviorSubject<Int>(value: 1)  // expect: use CurrentValueSubject<Element, any Error>
  let relay = PublishRelay<Int>()  // expect: renamed to 'PassthroughRelay'
  let state = BehaviorRelay(value: 1)  // expect: renamed to 'CurrentValueRelay'
  let property = MutableProperty(1)  // expect: renamed to 'CurrentValueRelay'
}

struct Item {
  func renamed(to name: String) -> Item { self }
}

final class Work: Sendable {
  let count = 0
  func use(_ number: Int) {}
  func parse(_ number: Int) throws -> Int { number }
  func load(_ number: Int) async throws -> Int { number }
}

/// No explanation hides an ordinary mistake inside a closure.
func ordinary(_ ints: AnyPublisher<Int, Never>, _ work: Work) {
  _ = ints.tap { $0.foo }  // expect: has no member 'foo'
  _ = ints.tap { unknown($0) }  // expect: cannot find 'unknown' in scope
  _ = ints.tap { _ in work.use() }  // expect: missing argument for parameter
  _ = ints.tap { _ in work.use("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.tap { _ in work.cuont }  // expect: has no member 'cuont'
  _ = ints.tap { _ in try work.parse("x") }  // expect: cannot convert value of type 'String' to expected argument type 'Int'
  _ = ints.tap { _ in try await work.load() }  // expect: missing argument for parameter
  _ = ints.tap { _ in Item().renamed(to: 1) }  // expect: cannot convert value of type 'Int' to expected argument type 'String'
  _ = ints.tap { _ in [1].first + 1 }  // expect: Int?
  _ = ints.tap { first, second in first }  // expect: expects 1 argument, but 2 were used in closure body
}
