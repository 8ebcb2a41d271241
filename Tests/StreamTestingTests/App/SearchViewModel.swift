import Dispatch
import StreamAlgorithms
import StreamSchedulers
import Streams

// The marked code is identical to that in Snippets/IncrementalSearch.swift, which a test target cannot import.

// snippet.SearchViewModel
/// Finds the results for a text. An app asks a server or reads files; a test answers by itself.
struct SearchClient {
  var search: (String) -> AnyPublisher<[String], Never>
}

final class SearchViewModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var isLoading = false
  @Published private(set) var results: [String] = []

  private var cancellables: Set<AnyCancellable> = []

  init(client: SearchClient, scheduler: AnySchedulerOf<DispatchQueue> = .main) {
    $query
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .removeDuplicates()
      .map { query -> AnyPublisher<PublisherPhase<[String], Never>, Never> in
        guard !query.isEmpty else { return Just(.success([])).eraseToAnyPublisher() }
        // Not below `switchToLatest`: this way, an answer that still waits for the scheduler is superseded as well.
        return client.search(query).receive(on: scheduler).mapToPhase().eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink(with: self) { model, phase in
        if let results = phase.value { model.results = results }
        model.isLoading = phase.isLoading
      }
      .store(in: &cancellables)
  }
}
// snippet.end
