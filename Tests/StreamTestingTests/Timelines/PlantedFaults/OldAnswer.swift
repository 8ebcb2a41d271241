import Dispatch
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams

private final class BookSearchModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var result: String?

  private var cancellables: Set<AnyCancellable> = []

  init(
    search: @escaping (String) -> AnyPublisher<String, Never>, scheduler: AnySchedulerOf<DispatchQueue>, isFaulty: Bool
  ) {
    let queries = $query.dropFirst().debounce(for: .milliseconds(300), scheduler: scheduler).removeDuplicates()
    // The fault: the answers are shown in the order in which they arrive.
    let answers =
      isFaulty
      ? queries.flatMap(search).eraseToAnyPublisher() : queries.map(search).switchToLatest().eraseToAnyPublisher()
    answers.sink(with: self) { model, answer in model.result = answer }.store(in: &cancellables)
  }
}

extension PlantedFault {
  /// Shown by `a`, whose answer takes 1 s, and 400 ms later `b`, whose answer takes 100 ms.
  static var oldAnswer: Self {
    PlantedFault("the search that shows the answer to an earlier query") { isFaulty in
      .lettersAndDelays { letters, nextDelay, scheduler in
        let model = BookSearchModel(
          search: { query in
            Just("books about \(query)").delay(for: nextDelay(), scheduler: scheduler).eraseToAnyPublisher()
          },
          scheduler: scheduler.eraseToAnyScheduler(), isFaulty: isFaulty)
        let typing = letters.sink { model.query = $0 }
        scheduler.run(keeping: typing)
        let expected = letters.sent.last.map { "books about \($0.value)" }
        try claim(model.result == expected, "at rest, the result is \(model.result ?? "none") for \(letters.events)")
      }
    }
  }
}
