import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// Code as a user of Combine writes it, with other imports. Most of it only has to compile.

private struct User: Codable, Equatable {
  var name: String
}

/// A coder of one's own.
private struct Coder: TopLevelEncoder, TopLevelDecoder {
  func encode<T: Encodable>(_ value: T) throws -> Data { try JSONEncoder().encode(value) }

  func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }
}

private enum LoadError: Error {
  case notFound
  case network(any Error)
}

/// A view model as there are thousands of.
private final class SearchModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var results: [String] = []
  @Published var isLoading = false

  private var cancellables = Set<AnyCancellable>()

  init<S: Scheduler>(scheduler: S, search: @escaping (String) -> AnyPublisher<[String], LoadError>) {
    $query
      .dropFirst()
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .filter { !$0.isEmpty }
      .handleEvents(receiveOutput: { [weak self] _ in self?.isLoading = true })
      .map { query in search(query).catch { _ in Just([]) } }
      .switchToLatest()
      .receive(on: scheduler)
      .sink { [weak self] results in
        self?.results = results
        self?.isLoading = false
      }
      .store(in: &cancellables)
  }
}

/// A publisher of one's own.
private struct Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never

  let start: Int

  func receive<S>(subscriber: S) where S: Subscriber, Never == S.Failure, Int == S.Input {
    subscriber.receive(subscription: CountdownSubscription(start, subscriber))
  }
}

private final class CountdownSubscription<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
  private var value: Int
  private var subscriber: S?

  init(_ value: Int, _ subscriber: S) {
    self.value = value
    self.subscriber = subscriber
  }

  func request(_ demand: Subscribers.Demand) {
    var demand = demand
    while demand > 0, let subscriber {
      demand -= 1
      demand += subscriber.receive(value)
      if value == 0 {
        self.subscriber = nil
        subscriber.receive(completion: .finished)
      }
      value -= 1
    }
  }

  func cancel() { subscriber = nil }
}

/// A subscriber of one's own.
private final class Printer: Subscriber {
  typealias Input = Int
  typealias Failure = Never

  var printed: [Int] = []

  func receive(subscription: any Subscription) { subscription.request(.max(2)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    printed.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

extension Publisher {
  /// An operator of one's own.
  fileprivate func pairwise() -> AnyPublisher<(Output, Output), Failure> {
    scan((Output?.none, Output?.none)) { ($0.1, $1) }
      .compactMap { pair in pair.0.flatMap { first in pair.1.map { (first, $0) } } }
      .eraseToAnyPublisher()
  }

  fileprivate func asResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }
}

extension Publisher where Output == Data, Failure == URLError {
  fileprivate func decoded<T: Decodable>(_ type: T.Type) -> AnyPublisher<T, LoadError> {
    decode(type: type, decoder: Coder()).mapError(LoadError.network).eraseToAnyPublisher()
  }
}

struct SourceCompatibilityTests {
  @Test func `a search as you type`() {
    let scheduler = DispatchQueue.test
    var queries: [String] = []
    let model = SearchModel(scheduler: scheduler) { query in
      queries.append(query)
      return Just([query + "!"]).setFailureType(to: LoadError.self).eraseToAnyPublisher()
    }
    for query in ["c", "co", "combine"] {
      model.query = query
      scheduler.advance(by: .milliseconds(100))
    }
    scheduler.advance(by: .milliseconds(300))
    #expect(queries == ["combine"])
    #expect(model.results == ["combine!"])
    #expect(model.isLoading == false)
  }

  @Test func `a publisher, a subscriber and operators of one's own`() {
    let printer = Printer()
    Countdown(start: 5).subscribe(printer)
    #expect(printer.printed == [5, 4])
    #expect(collect(Countdown(start: 2).pairwise()).map { "\($0)" } == ["(2, 1)", "(1, 0)"])
    #expect(collect(Fail<Int, TestError>(error: .first).asResult()) == [.failure(.first)])
  }

  @Test func `a response that is decoded`() throws {
    let data = try JSONEncoder().encode(User(name: "Ada"))
    let publisher = Just(data).setFailureType(to: URLError.self).decoded(User.self)
    #expect(collect(publisher) == [User(name: "Ada")])
    #expect(collect(Just(User(name: "Ada")).encode(encoder: Coder())).count == 1)
  }

  @Test func `a future that wraps a callback`() {
    func load(_ completion: @escaping (Result<Int, TestError>) -> Void) { completion(.success(1)) }
    let future = Deferred { Future<Int, TestError> { promise in load { promise($0) } } }
    #expect(log(future) == ["1", "finished"])
    let passed = Future<Int, TestError> { promise in load(promise) }
    #expect(log(passed) == ["1", "finished"])
  }

  @Test func `closures that change local variables`() {
    var values: [Int] = []
    var cancellables = Set<AnyCancellable>()
    [1, 2].publisher
      .map { $0 * 2 }
      .sink(
        receiveCompletion: { completion in
          switch completion {
          case .finished: values.append(0)
          case .failure(let never): switch never {}
          }
        }, receiveValue: { values.append($0) }
      )
      .store(in: &cancellables)
    #expect(values == [2, 4, 0])
  }

  @Test func `primary associated types`() {
    func numbers() -> some Publisher<Int, Never> { [1, 2].publisher.map { $0 } }
    func sum(_ publisher: some Publisher<Int, Never>) -> Int { collect(publisher).reduce(0, +) }
    func anySum(_ publisher: any Publisher<Int, Never>) -> Int { sum(publisher) }
    func attach(_ subject: some Subject<Int, Never>) { subject.send(1) }
    func connectable() -> some ConnectablePublisher<Int, Never> { numbers().makeConnectable() }
    func pass(_ subscriber: some Subscriber<Int, Never>) { numbers().subscribe(subscriber) }
    func date<Time: Strideable>(of scheduler: some Scheduler<Time>) -> Time { scheduler.now }
    attach(PassthroughSubject())
    attach(CurrentValueSubject(1))
    pass(Recorder())
    #expect(sum(numbers()) == 3)
    #expect(anySum(numbers()) == 3)
    #expect(collect(connectable().autoconnect()) == [1, 2])
    #expect(date(of: DispatchQueue.test) == DispatchQueue.test.now)
  }

  @Test func `existentials without their kinds`() {
    let cancellables: [any Cancellable] = [AnyCancellable {}, Subscriptions.empty]
    for cancellable in cancellables { cancellable.cancel() }
    let subjects: [any Subject] = [PassthroughSubject<Int, Never>(), CurrentValueSubject<String, TestError>("")]
    #expect(subjects.count == 2)
  }

  // MARK: Operator structs

  @Test func `operator structs have public inits and properties`() {
    let upstream = [1, 2, 3].publisher
    let scheduler = DispatchQueue.test
    #expect(Publishers.Map(upstream: upstream) { $0 * 2 }.transform(2) == 4)
    #expect((try? Publishers.TryMap(upstream: upstream) { $0 * 2 }.transform(2)) == 4)
    #expect(Publishers.MapKeyPath(upstream: upstream, keyPath: \.description).keyPath == \Int.description)
    #expect(Publishers.MapError(upstream: Fail<Int, TestError>(error: .first)) { $0 }.transform(.first) == .first)
    #expect(Publishers.SetFailureType<Just<Int>, TestError>(upstream: Just(1)).upstream == Just(1))
    #expect(Publishers.Scan(upstream: upstream, initialResult: 1, nextPartialResult: +).initialResult == 1)
    #expect((try? Publishers.TryScan(upstream: upstream, initialResult: 1) { $0 + $1 }.nextPartialResult(1, 2)) == 3)
    #expect(Publishers.Filter(upstream: upstream) { $0 > 1 }.isIncluded(2))
    #expect((try? Publishers.TryFilter(upstream: upstream) { $0 > 1 }.isIncluded(2)) == true)
    #expect(Publishers.CompactMap(upstream: upstream) { Optional($0) }.transform(2) == 2)
    #expect((try? Publishers.TryCompactMap(upstream: upstream) { Optional($0) }.transform(2)) == 2)
    #expect(Publishers.RemoveDuplicates(upstream: upstream, predicate: ==).predicate(1, 1))
    #expect((try? Publishers.TryRemoveDuplicates(upstream: upstream) { $0 == $1 }.predicate(1, 1)) == true)
    #expect(Publishers.Drop(upstream: upstream, count: 2).count == 2)
    #expect(Publishers.First(upstream: upstream).upstream == upstream)
    #expect(Publishers.FirstWhere(upstream: upstream) { $0 > 1 }.predicate(2))
    #expect((try? Publishers.TryFirstWhere(upstream: upstream) { $0 > 1 }.predicate(2)) == true)
    #expect(Publishers.Output(upstream: upstream, range: 1..<2).range == 1..<2)
    #expect(Publishers.PrefixUntilOutput(upstream: upstream, other: Just(1)).other == Just(1))
    #expect(Publishers.DropUntilOutput(upstream: upstream, other: Just(1)).other == Just(1))
    #expect(Publishers.Collect(upstream: upstream).upstream == upstream)
    #expect(Publishers.CollectByCount(upstream: upstream, count: 2).count == 2)
    #expect(Publishers.Concatenate(prefix: upstream, suffix: Just(1)).suffix == Just(1))
    #expect(Publishers.FlatMap(upstream: upstream, maxPublishers: .max(1)) { Just($0) }.maxPublishers == .max(1))
    #expect(Publishers.SwitchToLatest(upstream: Just(Just(1))).upstream == Just(Just(1)))
    let failing = Fail<Int, TestError>(error: .first)
    #expect(Publishers.Catch(upstream: failing) { _ in Just(1) }.handler(.first) == Just(1))
    #expect((try? Publishers.TryCatch(upstream: failing) { _ in Just(1) }.handler(.first)) == Just(1))
    #expect(Publishers.ReplaceError(upstream: upstream, output: 1).output == 1)
    #expect(Publishers.Retry(upstream: upstream, retries: nil).retries == nil)
    #expect(Publishers.Buffer(upstream: upstream, size: 1, prefetch: .keepFull, whenFull: .dropNewest).size == 1)
    #expect(Publishers.Share(upstream: upstream).upstream == upstream)
    #expect(
      Publishers.Multicast(upstream: upstream, createSubject: { PassthroughSubject<Int, Never>() }).upstream
        == upstream)
    #expect(Publishers.HandleEvents(upstream: upstream, receiveRequest: nil).receiveOutput == nil)
    let noData = Empty<Data, Never>()
    #expect(Publishers.Decode<Empty<Data, Never>, User, Coder>(upstream: noData, decoder: Coder()).upstream == noData)
    #expect(Publishers.Encode(upstream: upstream, encoder: Coder()).upstream == upstream)
    #expect(
      Publishers.Debounce(upstream: upstream, dueTime: 1, scheduler: scheduler, options: nil).dueTime == .seconds(1))
    #expect(Publishers.Throttle(upstream: upstream, interval: 1, scheduler: scheduler, latest: true).latest)
    #expect(
      Publishers.Delay(upstream: upstream, interval: 1, tolerance: 0, scheduler: scheduler).interval == .seconds(1))
    #expect(
      Publishers.Timeout(upstream: upstream, interval: 1, scheduler: scheduler, options: nil, customError: nil)
        .customError == nil)
    #expect(Publishers.ReceiveOn(upstream: upstream, scheduler: scheduler, options: nil).upstream == upstream)
    #expect(Publishers.SubscribeOn(upstream: upstream, scheduler: scheduler, options: nil).upstream == upstream)
    #expect(Publishers.MeasureInterval(upstream: upstream, scheduler: scheduler).upstream == upstream)
    #expect(Publishers.Zip(upstream, Just(1)).b == Just(1))
    #expect(Publishers.CombineLatest(upstream, Just(1)).a == upstream)
    #expect(Publishers.Merge(upstream, Just(1)).a == upstream)
    #expect(Publishers.MergeMany(upstream, upstream).publishers.count == 2)
  }

  @Test func `operator structs are equatable where their parts are`() {
    func isEqual<T: Equatable>(_ make: () -> T) -> Bool { make() == make() }
    let a = [1, 2].publisher
    let b = Just(1)
    #expect(isEqual { Empty<Int, Never>() })
    #expect(isEqual { Fail<Int, TestError>(error: .first) })
    #expect(isEqual { Just(1) })
    #expect(isEqual { Optional(1).publisher })
    #expect(isEqual { Result<Int, TestError>.success(1).publisher })
    #expect(isEqual { a })
    #expect(isEqual { Publishers.Collect(upstream: a) })
    #expect(isEqual { Publishers.CollectByCount(upstream: a, count: 1) })
    #expect(isEqual { Publishers.Concatenate(prefix: a, suffix: b) })
    #expect(isEqual { Publishers.Drop(upstream: a, count: 1) })
    #expect(isEqual { Publishers.DropUntilOutput(upstream: a, other: b) })
    #expect(isEqual { Publishers.First(upstream: a) })
    #expect(isEqual { Publishers.Output(upstream: a, range: 0..<1) })
    #expect(isEqual { Publishers.ReplaceError(upstream: a, output: 1) })
    #expect(isEqual { Publishers.Retry(upstream: a, retries: 1) })
    #expect(isEqual { Publishers.SetFailureType<Just<Int>, TestError>(upstream: b) })
    #expect(isEqual { Publishers.CombineLatest(a, b) })
    #expect(isEqual { Publishers.CombineLatest3(a, b, a) })
    #expect(isEqual { Publishers.CombineLatest4(a, b, a, b) })
    #expect(isEqual { Publishers.Zip(a, b) })
    #expect(isEqual { Publishers.Zip3(a, b, a) })
    #expect(isEqual { Publishers.Zip4(a, b, a, b) })
    #expect(isEqual { Publishers.Merge(a, b) })
    #expect(isEqual { Publishers.Merge3(a, b, a) })
    #expect(isEqual { Publishers.Merge4(a, b, a, b) })
    #expect(isEqual { Publishers.Merge5(a, b, a, b, a) })
    #expect(isEqual { Publishers.Merge6(a, b, a, b, a, b) })
    #expect(isEqual { Publishers.Merge7(a, b, a, b, a, b, a) })
    #expect(isEqual { Publishers.Merge8(a, b, a, b, a, b, a, b) })
    #expect(isEqual { Publishers.MergeMany(a, a) })
    #expect(isEqual { Subscribers.Completion<TestError>.finished })
  }

  @Test func `values that may cross threads are sendable`() {
    func check<T: Sendable>(_ value: T) -> Bool { true }
    #expect(check(Just(1)))
    #expect(check([1].publisher))
    #expect(check(Empty<Int, Never>()))
    #expect(check(Fail<Int, TestError>(error: .first)))
    #expect(check(Record<Int, TestError>(output: [1], completion: .finished)))
    #expect(check(PassthroughSubject<Int, Never>()))
    #expect(check(CurrentValueSubject<Int, Never>(1)))
    #expect(check(Future<Int, Never> { _ in }))
    #expect(check(AnyCancellable {}))
    #expect(check(Subscribers.Demand.unlimited))
    #expect(check(Subscribers.Completion<TestError>.finished))
  }

  @Test func `operators on sequences, whatever their types are`() {
    let numbers = [3, 1, 2].publisher
    let failing = Publishers.Sequence<[Int], TestError>(sequence: [3, 1, 2])
    // The types that Combine has.
    let count: Just<Int> = numbers.count()
    let failingCount: Result<Int, TestError>.Publisher = failing.count()
    let contains: Result<Bool, Never>.Publisher = (1...3).publisher.contains(2)
    let ignored: Empty<Int, TestError> = failing.ignoreOutput()
    #expect(log(count) == log(failingCount))
    #expect(log(contains) == ["true", "finished"])
    #expect(log(ignored) == ["finished"])
    // The plain operators.
    let plainCount: Publishers.Count<Publishers.Sequence<[Int], Never>> = numbers.count()
    let plainLast: Publishers.Last<Publishers.Sequence<[Int], Never>> = numbers.last()
    let plainDrop: Publishers.Drop<Publishers.Sequence<[Int], Never>> = numbers.dropFirst()
    let plainOutput: Publishers.Output<Publishers.Sequence<[Int], Never>> = numbers.output(in: 0..<1)
    #expect(log(plainCount) + log(plainLast) == ["3", "finished", "2", "finished"])
    #expect(log(plainDrop) + log(plainOutput) == ["1", "2", "finished", "3", "finished"])
    // Chains that say nothing of types.
    #expect(log(numbers.dropFirst().count().map { $0 * 10 }) == ["20", "finished"])
    #expect(log(numbers.dropFirst(1).dropFirst().last().replaceEmpty(with: 0)) == ["2", "finished"])
    #expect(log(numbers.last { $0 < 3 }.append(7)) == ["2", "7", "finished"])
    #expect(log(numbers.output(at: 1).merge(with: numbers.output(in: 2...))) == ["1", "2", "finished"])
    #expect(log(numbers.prefix(2).last()) == ["1", "finished"])
    #expect(log(numbers.max().zip(numbers.min()).map { $0 + $1 }) == ["4", "finished"])
    #expect(log(failing.contains(2).map { !$0 }) == ["false", "finished"])
    #expect(log(failing.last().catch { _ in Just(0) }) == ["2", "finished"])
    #expect(log(numbers.filter { $0 > 1 }.count()) == ["2", "finished"])
    let erased: AnyPublisher<Int, Never> = numbers.dropFirst().eraseToAnyPublisher()
    #expect(log(erased) == ["1", "2", "finished"])
    func total(_ publisher: some Publisher<Int, Never>) -> [String] { log(publisher.count()) }
    #expect(total(numbers) == ["3", "finished"])
  }
}
