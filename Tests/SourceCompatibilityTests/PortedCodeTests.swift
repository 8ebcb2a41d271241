import Combine
import Dispatch
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Code as a user of Combine writes it, with another import.

private struct User: Codable, Equatable {
  var name: String
}

private enum LoadError: Error {
  case notFound
  case network(any Error)
}

/// A typical view model.
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

extension Publisher {
  /// User-defined operators.
  fileprivate func withPrevious() -> AnyPublisher<(Output, Output), Failure> {
    scan((Output?.none, Output?.none)) { ($0.1, $1) }
      .compactMap { pair in pair.0.flatMap { first in pair.1.map { (first, $0) } } }
      .eraseToAnyPublisher()
  }

  fileprivate func asResult() -> AnyPublisher<Result<Output, Failure>, Never> {
    map(Result.success).catch { Just(.failure($0)) }.eraseToAnyPublisher()
  }

  fileprivate func retry<S: Scheduler>(
    _ times: Int, after delay: S.SchedulerTimeType.Stride, on scheduler: S
  ) -> AnyPublisher<Output, Failure> {
    self.catch { _ in
      Just(()).delay(for: delay, scheduler: scheduler).flatMap { _ in self }.retry(Swift.max(times - 1, 0))
    }.eraseToAnyPublisher()
  }
}

extension Publisher where Output == Data, Failure == URLError {
  fileprivate func decoded<T: Decodable>(_ type: T.Type) -> AnyPublisher<T, LoadError> {
    decode(type: type, decoder: JSONDecoder()).mapError(LoadError.network).eraseToAnyPublisher()
  }
}

struct PortedCodeTests {
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

  @Test func `user-defined operators`() {
    #expect(run(numbers(2, 1, 0).withPrevious()) == ["(2, 1)", "(1, 0)", "finished"])
    #expect(
      run(Fail<Int, TestError>(error: .first).asResult().filter { $0 == .failure(.first) }.count()) == [
        "1", "finished",
      ])
    let retried = Fail<Int, TestError>(error: .first).retry(2, after: 1, on: DispatchQueue.immediate)
    #expect(run(retried) == ["first"])
  }

  @Test func `a response that is decoded`() throws {
    let data = try JSONEncoder().encode(User(name: "Ada"))
    let publisher = Just(data).setFailureType(to: URLError.self).decoded(User.self)
    #expect(run(publisher.map(\.name)) == ["Ada", "finished"])
    #expect(run(Just(User(name: "Ada")).encode(encoder: JSONEncoder()).count()) == ["1", "finished"])
  }

  @Test func `a future that wraps a callback`() {
    func load(_ completion: @escaping (Result<Int, TestError>) -> Void) { completion(.success(1)) }
    let future = Deferred { Future<Int, TestError> { promise in load { promise($0) } } }
    #expect(run(future) == ["1", "finished"])
    #expect(run(Future<Int, TestError> { promise in load(promise) }) == ["1", "finished"])
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

  @Test func `functions and key paths for closures`() {
    let words = Deferred { ["1", "", "22"].publisher }
    #expect(run(words.filter(\.isEmpty)) == ["", "finished"])
    #expect(run(words.compactMap(Int.init).map(String.init)) == ["1", "22", "finished"])
    #expect(run(words.map(\.count).reduce(0, +)) == ["3", "finished"])
    #expect(run(words.map(\.count).scan(0, max).max(by: <)) == ["2", "finished"])
    #expect(run(words.contains(where: \.isEmpty)) == ["true", "finished"])
    #expect(run(words.allSatisfy(\.isEmpty)) == ["false", "finished"])
    #expect(run(words.first(where: \.isEmpty)) == ["", "finished"])
    #expect(run(words.drop(while: \.isEmpty).removeDuplicates(by: ==)) == ["1", "", "22", "finished"])
    #expect(run(words.tryMap(JSONSerialization.isValidJSONObject).count()) == ["3", "finished"])
    #expect(run(words.flatMap(Just.init).collect()) == ["[\"1\", \"\", \"22\"]", "finished"])
    #expect(
      run(Fail<Int, TestError>(error: .first).mapError(LoadError.network)) == [
        "network(SourceCompatibilityTests.TestError.first)"
      ])
    #expect(run(words.zip(words.dropFirst(), +)).count == 3)
    var values: [String] = []
    words.sink(receiveValue: { values.append($0) }).cancel()
    let subject = PassthroughSubject<String, Never>()
    words.sink(receiveValue: subject.send).cancel()
    #expect(values.count == 3)
  }

  @Test func `existentials`() {
    let cancellables: [any Cancellable] = [AnyCancellable {}, Subscriptions.empty]
    for cancellable in cancellables { cancellable.cancel() }
    var kept: (any Cancellable)?
    kept = numbers(1).sink { _ in }
    kept?.cancel()
  }
}
