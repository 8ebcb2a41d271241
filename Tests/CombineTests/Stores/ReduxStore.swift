import Combine
import Foundation
import XCTest

typealias Effect<Action> = AnyPublisher<Action, Never>
typealias Reducer<State, Action, Environment> = (inout State, Action, Environment) -> Effect<Action>?

@dynamicMemberLookup
final class Store<State, Action>: ObservableObject {
  @Published private(set) var state: State

  private let reduce: (inout State, Action) -> Effect<Action>?
  private var effects: [UUID: AnyCancellable] = [:]
  private let queue: DispatchQueue

  init<Environment>(
    initialState: State, reducer: @escaping Reducer<State, Action, Environment>, environment: Environment,
    queue: DispatchQueue = .init(label: "store", qos: .userInitiated)
  ) {
    self.state = initialState
    self.queue = queue
    self.reduce = { state, action in reducer(&state, action, environment) }
  }

  subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  var runningEffects: Int { effects.count }

  func send(_ action: Action) {
    guard let effect = reduce(&state, action) else { return }

    let id = UUID()
    var didComplete = false
    let cancellable =
      effect
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { [weak self] _ in
          didComplete = true
          self?.effects[id] = nil
        },
        receiveValue: { [weak self] in self?.send($0) })
    if !didComplete { effects[id] = cancellable }
  }

  func derived<DerivedState: Equatable, ExtractedAction>(
    deriveState: @escaping (State) -> DerivedState,
    embedAction: @escaping (ExtractedAction) -> Action
  ) -> Store<DerivedState, ExtractedAction> {
    let store = Store<DerivedState, ExtractedAction>(
      initialState: deriveState(state),
      reducer: { _, action, _ in
        self.send(embedAction(action))
        return Empty(completeImmediately: true).eraseToAnyPublisher()
      },
      environment: ())
    $state
      .map(deriveState)
      .removeDuplicates()
      .receive(on: DispatchQueue.main)
      .assign(to: &store.$state)
    return store
  }
}

// MARK: - The app

struct SearchState: Equatable {
  var query = ""
  var results: [String] = []
  var isLoading = false
}

enum SearchAction {
  case setQuery(String)
  case search
  case setResults([String])
}

struct World {
  var search: (String) -> AnyPublisher<[String], Error>
}

func searchReducer(state: inout SearchState, action: SearchAction, environment: World) -> Effect<SearchAction>? {
  switch action {
  case let .setQuery(query):
    state.query = query
  case .search:
    state.isLoading = true
    return environment.search(state.query)
      .replaceError(with: [])
      .map { SearchAction.setResults($0) }
      .eraseToAnyPublisher()
  case let .setResults(results):
    state.isLoading = false
    state.results = results
  }
  return nil
}

final class StoreTests: XCTestCase {
  private var cancellables: Set<AnyCancellable> = []

  private func makeStore() -> Store<SearchState, SearchAction> {
    Store(
      initialState: SearchState(), reducer: searchReducer,
      environment: World(search: { query in
        Future<[String], Error> { promise in
          DispatchQueue.global().async {
            promise(query.isEmpty ? .failure(CancellationError()) : .success([query.uppercased()]))
          }
        }
        .eraseToAnyPublisher()
      }))
  }

  func testSearch() {
    let store = makeStore()
    let loaded = expectation(description: "loaded")
    var states: [SearchState] = []
    store.$state
      .removeDuplicates()
      .sink { state in
        states.append(state)
        if !state.results.isEmpty { loaded.fulfill() }
      }
      .store(in: &cancellables)
    store.send(.setQuery("combine"))
    XCTAssertEqual(store.query, "combine")
    store.send(.search)
    XCTAssertTrue(store.isLoading)
    waitForExpectations(timeout: 30)
    XCTAssertEqual(states.map(\.isLoading), [false, false, true, false])
    XCTAssertEqual(store.results, ["COMBINE"])
  }

  func testErrorsBecomeEmptyResults() {
    let store = makeStore()
    let stopped = expectation(description: "stopped")
    store.$state.map(\.isLoading).removeDuplicates().dropFirst(2)
      .sink { isLoading in
        XCTAssertFalse(isLoading)
        stopped.fulfill()
      }
      .store(in: &cancellables)
    store.send(.search)
    wait(for: [stopped], timeout: 30)
    XCTAssertEqual(store.results, [])
  }

  func testDerivedStore() {
    let store = makeStore()
    let derived: Store<String, String> = store.derived(
      deriveState: { $0.query }, embedAction: SearchAction.setQuery)
    var changes = 0
    derived.objectWillChange.sink { _ in changes += 1 }.store(in: &cancellables)
    let arrived = expectation(description: "state arrived in the derived store")
    derived.$state.filter { $0 == "abc" }.first().sink { _ in arrived.fulfill() }.store(in: &cancellables)
    derived.send("abc")
    wait(for: [arrived], timeout: 30)
    XCTAssertEqual(store.state.query, "abc")
    XCTAssertEqual(derived.state, "abc")
    XCTAssertGreaterThan(changes, 0)
  }
}
