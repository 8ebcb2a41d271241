import Dispatch
import Observation
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// One search, which begins 300 milliseconds after typing stops, in four styles, each tested in virtual time.

/// Closures, as with Combine.
final class SearchWithClosures: ObservableObject {
  @Published var query = ""
  @Published private(set) var results: [String] = []

  init(scheduler: AnySchedulerOf<DispatchQueue>, search: @escaping (String) -> AnyPublisher<[String], Never>) {
    $query.dropFirst().debounce(for: .milliseconds(300), scheduler: scheduler)
      .map(search).switchToLatest().assign(to: &$results)
  }
}

/// A loop over the values of a publisher.
final class SearchWithValues {
  let queries = PassthroughSubject<String, Never>()
  private(set) var results: [String] = []

  func run(scheduler: AnySchedulerOf<DispatchQueue>, search: (String) async -> [String]) async {
    for await query in queries.debounce(for: .milliseconds(300), scheduler: scheduler).values {
      results = await search(query)
    }
  }
}

/// An observable model, as SwiftUI has them.
@Observable final class ObservableSearch {
  var query = ""
  private(set) var results: [String] = []
  @ObservationIgnored private var cancellables: Set<AnyCancellable> = []

  init(scheduler: AnySchedulerOf<DispatchQueue>, search: @escaping (String) async -> [String]) {
    Observed(of: self) { $0.query }.dropFirst()
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .flatMapLatest { await search($0) }
      .sink(with: self) { $0.results = $1 }.store(in: &cancellables)
  }
}

/// An actor.
actor SearchActor {
  private(set) var results: [String] = []
  private var cancellables: Set<AnyCancellable> = []

  func start(_ queries: AnySendablePublisher<String, Never>, search: @escaping @Sendable (String) async -> [String]) {
    queries.flatMapLatest { await search($0) }
      .sink(with: self) { $0.results = $1 }.store(in: &cancellables)
  }
}

struct FourStylesTests {
  private let scheduler = DispatchQueue.test

  @Test func closures() {
    let model = SearchWithClosures(scheduler: scheduler.eraseToAnyScheduler()) { query in
      Just([query.uppercased()]).delay(for: .milliseconds(100), scheduler: scheduler).eraseToAnyPublisher()
    }
    model.query = "s"
    scheduler.advance(by: .milliseconds(200))
    model.query = "swift"
    scheduler.advance(by: .milliseconds(399))
    #expect(model.results == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(model.results == ["SWIFT"])
  }

  @Test func values() {
    scheduler.withVirtualWorld {
      let model = SearchWithValues()
      let task = Task { await model.run(scheduler: scheduler.eraseToAnyScheduler()) { [$0.uppercased()] } }
      scheduler.advance()
      model.queries.send("swift")
      scheduler.advance(by: .milliseconds(299))
      #expect(model.results == [])
      scheduler.advance(by: .milliseconds(1))
      #expect(model.results == ["SWIFT"])
      task.cancel()
      scheduler.advance()
    }
  }

  @Test func anObservableModel() {
    scheduler.withVirtualWorld {
      let model = ObservableSearch(scheduler: scheduler.eraseToAnyScheduler()) { [$0.uppercased()] }
      model.query = "s"
      scheduler.advance(by: .milliseconds(200))
      model.query = "swift"
      scheduler.advance(by: .milliseconds(299))
      #expect(model.results == [])
      scheduler.advance(by: .milliseconds(1))
      #expect(model.results == ["SWIFT"])
    }
  }

  @Test func anActor() {
    scheduler.withVirtualWorld {
      let (model, queries) = (SearchActor(), PassthroughSubject<String, Never>())
      var results: [String] = []
      let settled = queries.debounce(for: .milliseconds(300), scheduler: scheduler).eraseToAnySendablePublisher()
      Task { await model.start(settled) { [$0.uppercased()] } }
      scheduler.advance()
      queries.send("swift")
      scheduler.advance(by: .milliseconds(300))
      Task { results = await model.results }
      scheduler.advance()
      #expect(results == ["SWIFT"])
    }
  }
}
