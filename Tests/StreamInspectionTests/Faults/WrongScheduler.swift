import Dispatch
import StreamSchedulers
import Streams

extension PlantedFault {
  /// A search waits for a pause in typing, on another test scheduler than the one that the test advances.
  static let wrongScheduler = PlantedFault(
    name: "wrong scheduler",
    goodSentence: "debounce waits for 300 ms on a TestScheduler whose time stands at 0: nobody advances it.",
    answer: [
      ["scheduler", "virtual time"],
      ["advance", "stands still", "stand still", "has not moved", "never runs", "time stands"],
      ["debounce", "pending", "due", "wait", "armed"],
    ],
    arriving: 0, expected: 2,
    plant: { setUp { Search($0) } }, corrected: { setUp { SearchOnMain($0) } })
}

@MainActor
private func setUp(_ makeModel: (Schedulers) -> Search) -> Planted {
  let schedulers = Schedulers()
  let model = makeModel(schedulers)
  model.start()
  model.queries.send("sw")
  model.queries.send("swift")
  schedulers.main.advance(by: .seconds(1))
  return Planted(
    cancellable: model.cancellables[0],
    keepsAlive: [model, model.queries, schedulers.main, schedulers.background], line: model.line,
    received: { model.searches.count },
    provoke: {
      model.queries.send("swift streams")
      schedulers.main.advance(by: .seconds(1))
    })
}

/// The schedulers of an app, as a test supplies them.
private struct Schedulers {
  let main = DispatchQueue.test
  let background = DispatchQueue.test
}

@MainActor
private class Search {
  let queries = PassthroughSubject<String, Never>()
  let main: AnySchedulerOf<DispatchQueue>
  let background: AnySchedulerOf<DispatchQueue>
  var searches: [String] = []
  var cancellables: [AnyCancellable] = []
  var line = 0

  init(_ schedulers: Schedulers) {
    main = schedulers.main.eraseToAnyScheduler()
    background = schedulers.background.eraseToAnyScheduler()
  }

  func start() {
    line = #line + 2
    queries.removeDuplicates()
      .debounce(for: .milliseconds(300), scheduler: background)  // Fault: nobody advances this one.
      .sink { [weak self] in self?.searches.append($0) }
      .store(in: &cancellables)
  }
}

private final class SearchOnMain: Search {
  override func start() {
    queries.removeDuplicates()
      .debounce(for: .milliseconds(300), scheduler: main)
      .sink { [weak self] in self?.searches.append($0) }
      .store(in: &cancellables)
  }
}
