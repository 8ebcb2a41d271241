import Combine
import Foundation
import XCTest

protocol Repository {
  associatedtype Model: Identifiable
  var all: AnyPublisher<[Model], Never> { get }
  func model(id: Model.ID) -> AnyPublisher<Model, Error>
  func save(_ model: Model)
}

final class CachedRepository<Model: Identifiable & Equatable>: Repository {
  struct NotFound: LocalizedError {
    var errorDescription: String? { "Not found" }
  }

  private let cache = CurrentValueSubject<[Model.ID: Model], Never>([:])
  private let remote: (Model.ID) -> AnyPublisher<Model?, URLError>
  private var inFlight: [Model.ID: AnyPublisher<Model, Error>] = [:]

  init(remote: @escaping (Model.ID) -> AnyPublisher<Model?, URLError>) {
    self.remote = remote
  }

  var all: AnyPublisher<[Model], Never> {
    cache.map { Array($0.values) }.removeDuplicates().eraseToAnyPublisher()
  }

  func model(id: Model.ID) -> AnyPublisher<Model, Error> {
    if let cached = cache.value[id] {
      return Just(cached).setFailureType(to: Error.self).eraseToAnyPublisher()
    }
    if let running = inFlight[id] { return running }
    let request = remote(id)
      .tryMap { model -> Model in
        guard let model = model else { throw NotFound() }
        return model
      }
      .handleEvents(
        receiveOutput: { [weak self] in self?.save($0) },
        receiveCompletion: { [weak self] _ in self?.inFlight[id] = nil },
        receiveCancel: { [weak self] in self?.inFlight[id] = nil }
      )
      .share()
      .eraseToAnyPublisher()
    inFlight[id] = request
    return request
  }

  func save(_ model: Model) {
    cache.value[model.id] = model
  }
}

private struct Article: Identifiable, Equatable {
  let id: Int
  var title: String
}

final class RepositoryTests: XCTestCase {
  private var cancellables = Set<AnyCancellable>()
  private var requests: [PassthroughSubject<Article?, URLError>] = []

  private func makeRepository() -> CachedRepository<Article> {
    CachedRepository(remote: { [unowned self] _ in
      let request = PassthroughSubject<Article?, URLError>()
      self.requests.append(request)
      return request.eraseToAnyPublisher()
    })
  }

  func testConcurrentRequestsAreShared() {
    let repository = makeRepository()
    var titles: [String] = []
    for _ in 0..<2 {
      repository.model(id: 1)
        .map(\.title)
        .catch { Just($0.localizedDescription) }
        .sink { titles.append($0) }
        .store(in: &cancellables)
    }
    XCTAssertEqual(requests.count, 1)
    requests[0].send(Article(id: 1, title: "Hello"))
    requests[0].send(completion: .finished)
    XCTAssertEqual(titles, ["Hello", "Hello"])
    repository.model(id: 1).map(\.title).replaceError(with: "").sink { titles.append($0) }.store(in: &cancellables)
    XCTAssertEqual(requests.count, 1)
    XCTAssertEqual(titles.count, 3)
  }

  func testNotFound() {
    let repository = makeRepository()
    var message: String?
    repository.model(id: 1)
      .sink(
        receiveCompletion: { if case let .failure(error) = $0 { message = error.localizedDescription } },
        receiveValue: { _ in XCTFail("no value") }
      )
      .store(in: &cancellables)
    requests[0].send(nil)
    XCTAssertEqual(message, "Not found")
  }

  func testAll() {
    let repository = makeRepository()
    var counts: [Int] = []
    repository.all.map(\.count).sink { counts.append($0) }.store(in: &cancellables)
    repository.save(Article(id: 1, title: "A"))
    repository.save(Article(id: 1, title: "A"))
    repository.save(Article(id: 2, title: "B"))
    XCTAssertEqual(counts, [0, 1, 2])
  }

  func testMulticast() {
    let source = PassthroughSubject<Int, Never>()
    let multicasted = source.map { $0 * 10 }.multicast { PassthroughSubject<Int, Never>() }
    var first = [Int](), second = [Int]()
    multicasted.sink { first.append($0) }.store(in: &cancellables)
    multicasted.sink { second.append($0) }.store(in: &cancellables)
    source.send(0)
    let connection: Cancellable = multicasted.connect()
    source.send(1)
    connection.cancel()
    source.send(2)
    XCTAssertEqual(first, [10])
    XCTAssertEqual(second, [10])

    let connectable: Publishers.MakeConnectable<Just<Int>> = Just(1).makeConnectable()
    connectable.sink { first.append($0) }.store(in: &cancellables)
    XCTAssertEqual(first, [10])
    connectable.connect().store(in: &cancellables)
    XCTAssertEqual(first, [10, 1])
  }
}
