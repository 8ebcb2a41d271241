import Combine
import XCTest

enum SampleError: Error, Equatable {
  case sampleError
  case other(String)
}

func throwing(_ value: Int) throws -> Int {
  guard value != 3 else { throw SampleError.sampleError }
  return value
}

final class ErrorHandlingTests: XCTestCase {
  private var bag = Set<AnyCancellable>()
  private var log = [String]()

  override func setUp() {
    log = []
  }

  private func record<P: Publisher>(_ publisher: P) {
    publisher.sink(
      receiveCompletion: { [unowned self] completion in
        switch completion {
        case .finished: self.log.append("finished")
        case let .failure(error): self.log.append("failure \(error)")
        }
      },
      receiveValue: { [unowned self] in self.log.append("\($0)") }
    )
    .store(in: &bag)
  }

  func testCatchReplacesTheUpstream() {
    record((1...5).publisher.tryMap(throwing).catch { _ in Just(100) })
    XCTAssertEqual(log, ["1", "2", "100", "finished"])
  }

  func testTryCatch() {
    let publisher = (1...5).publisher
      .tryMap(throwing)
      .tryCatch { error -> AnyPublisher<Int, Never> in
        guard error is SampleError else { throw error }
        throw SampleError.other("again")
      }
      .mapError { $0 as! SampleError }
    record(publisher)
    XCTAssertEqual(log, ["1", "2", #"failure other("again")"#])
  }

  func testRetry() {
    var attempts = 0
    let publisher = Deferred { () -> Publishers.TryMap<Publishers.Sequence<ClosedRange<Int>, Never>, Int> in
      attempts += 1
      return (2...3).publisher.tryMap(throwing)
    }
    record(publisher.retry(2).replaceError(with: 0))
    XCTAssertEqual(attempts, 3)
    XCTAssertEqual(log, ["2", "2", "2", "0", "finished"])
  }

  func testFail() {
    record(Fail<Int, SampleError>(error: .sampleError))
    record(Fail(outputType: String.self, failure: SampleError.other("x")))
    record(Result<Int, SampleError>.failure(.sampleError).publisher)
    record(Result { try throwing(2) }.publisher.assertNoFailure("two never fails"))
    record(Empty<Int, SampleError>(completeImmediately: false))
    XCTAssertEqual(
      log,
      ["failure sampleError", #"failure other("x")"#, "failure sampleError", "2", "finished"])
  }

  func testFlatMapKeepsTheOuterStreamAlive() {
    let input = PassthroughSubject<Int, Never>()
    record(
      input.flatMap { value in
        Just(value).tryMap(throwing).map(String.init).replaceError(with: "oops")
      })
    [1, 3, 4].forEach { input.send($0) }
    XCTAssertEqual(log, ["1", "oops", "4"])
  }

  func testFutureRunsOnceAndAtOnce() {
    var runs = 0
    let future = Future<Int, SampleError> { promise in
      runs += 1
      promise(.success(runs))
      promise(.failure(.sampleError))
    }
    XCTAssertEqual(runs, 1)
    record(future)
    record(future)
    XCTAssertEqual(log, ["1", "finished", "1", "finished"])
    let deferred = Deferred { Future<Int, SampleError> { $0(.failure(.other("late"))) } }
    record(deferred)
    XCTAssertEqual(log.last, #"failure other("late")"#)
  }

  func testSinkIsCancelledWithItsToken() {
    let subject = CurrentValueSubject<Int, SampleError>(1)
    var values = [Int]()
    var token: AnyCancellable? = subject.sink(
      receiveCompletion: { _ in values.append(-1) }, receiveValue: { values.append($0) })
    subject.value = 2
    token = nil
    subject.send(3)
    subject.send(completion: .finished)
    XCTAssertNil(token)
    XCTAssertEqual(values, [1, 2])
    XCTAssertEqual(subject.value, 3)
  }
}
