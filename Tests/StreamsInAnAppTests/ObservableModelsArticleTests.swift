import Dispatch
import Observation
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// The features that the article on observable models shows.

@Observable final class QueryModel {
  var query = ""
  var results: [String] = []
}

struct ObservableModelsArticleTests {
  private let scheduler = DispatchQueue.test

  @Test func modelsAreObserved() {
    scheduler.withVirtualWorld {
      let model = QueryModel()
      var cancellables: Set<AnyCancellable> = []
      func search(_ query: String) async -> [String] { [query.uppercased()] }
      Observed { model.query }
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .flatMapLatest { query in await search(query) }
        .assign(to: \.results, on: model)
        .store(in: &cancellables)
      model.query = "swift"
      scheduler.advance()
      scheduler.advance(by: .milliseconds(300))
      #expect(model.results == ["SWIFT"])
      cancellables = []
    }
  }
}
