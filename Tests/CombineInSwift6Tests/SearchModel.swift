import Combine
import Foundation
import Testing

@MainActor
final class SearchModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var results: [String] = []
  @Published private(set) var isSearching = false

  private var cancellables: Set<AnyCancellable> = []

  init<S: Scheduler>(scheduler: S, search: @escaping (String) -> AnyPublisher<[String], any Error>) {
    $query
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .removeDuplicates()
      .filter { !$0.isEmpty }
      .handleEvents(receiveOutput: { [weak self] _ in self?.isSearching = true })
      .map { search($0).replaceError(with: []) }
      .switchToLatest()
      .sink { [weak self] results in
        self?.results = results
        self?.isSearching = false
      }
      .store(in: &cancellables)
  }
}

@MainActor
struct SearchModelTests {
  let scheduler = TestScheduler()
  let answers = PassthroughSubject<[String], any Error>()

  private func makeModel(_ log: Log) -> SearchModel {
    SearchModel(scheduler: scheduler) { [answers] query in
      log.queries.append(query)
      return answers.first().eraseToAnyPublisher()
    }
  }

  final class Log {
    var queries: [String] = []
  }

  @Test func `only a query that rests is searched`() {
    let log = Log()
    let model = makeModel(log)
    for query in ["s", "sw", "swift "] {
      model.query = query
      scheduler.advance(by: .milliseconds(299))
    }
    #expect(log.queries.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(log.queries == ["swift"])
    #expect(model.isSearching)
    answers.send(["Swift.org"])
    #expect(model.results == ["Swift.org"])
    #expect(!model.isSearching)
  }

  @Test func `an error shows no results and the next query works`() {
    let log = Log()
    let model = makeModel(log)
    model.query = "a"
    scheduler.advance(by: .milliseconds(300))
    answers.send(completion: .failure(URLError(.timedOut)))
    #expect(model.results.isEmpty)
    #expect(!model.isSearching)
    model.query = "b"
    scheduler.advance(by: .milliseconds(300))
    #expect(log.queries == ["a", "b"])
  }

  @Test func `the values of a published property arrive one after another`() async {
    let model = makeModel(Log())
    var seen: [String] = []
    for await query in model.$query.values {
      seen.append(query)
      if query == "abc" { break }
      model.query = String("abc".prefix(query.count + 1))
    }
    #expect(seen == ["", "a", "ab", "abc"])
  }

  @Test func `the object announces each change on the main actor`() {
    let model = makeModel(Log())
    var old: [String] = []
    let cancellable = model.objectWillChange
      .sink { MainActor.assumeIsolated { old.append(model.query) } }
    model.query = "x"
    model.query = "y"
    cancellable.cancel()
    model.query = "z"
    #expect(old == ["", "x"])
  }
}
