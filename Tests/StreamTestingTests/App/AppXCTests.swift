import Dispatch
import Foundation
import StreamSchedulers
import Streams
import XCTest

final class SearchViewModelXCTests: XCTestCase {
  private let scheduler = DispatchQueue.test
  private var searches: [String] = []
  private var cancelled: [String] = []

  /// Answers with the query in capitals after half a second.
  private func makeModel() -> SearchViewModel {
    let client = SearchClient { [scheduler] query in
      Just([query.uppercased()])
        .delay(for: .milliseconds(500), scheduler: scheduler)
        .handleEvents(
          receiveSubscription: { _ in self.searches.append(query) },
          receiveCancel: { self.cancelled.append(query) }
        )
        .eraseToAnyPublisher()
    }
    return SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
  }

  override func tearDown() { scheduler.assertIdle() }

  func testSearchStartsWhenTypingHasStoppedFor300Milliseconds() {
    let model = makeModel()
    model.query = "a"
    scheduler.advance(by: .milliseconds(200))
    model.query = "ab"
    scheduler.advance(by: .milliseconds(299))
    XCTAssertEqual(searches, [])
    XCTAssertFalse(model.isLoading)

    scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(searches, ["ab"])
    XCTAssertTrue(model.isLoading)

    scheduler.advance(by: .milliseconds(500))
    XCTAssertEqual(model.results, ["AB"])
    XCTAssertFalse(model.isLoading)
  }

  func testNewQuerySupersedesRunningSearch() {
    let model = makeModel()
    var shown: [[String]] = []
    let cancellable = model.$results.dropFirst().sink { shown.append($0) }

    model.query = "old"
    scheduler.advance(by: .milliseconds(300))
    XCTAssertEqual(searches, ["old"])

    model.query = "new"
    scheduler.advance(by: .milliseconds(299))
    XCTAssertEqual(cancelled, [])
    scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(cancelled, ["old"])
    XCTAssertEqual(searches, ["old", "new"])

    scheduler.run()
    XCTAssertEqual(shown, [["NEW"]])
    cancellable.cancel()
  }

  func testAnswerThatComesBeforeTypingHasStoppedIsShown() {
    let model = makeModel()
    model.query = "a"
    scheduler.advance(by: .milliseconds(700))
    model.query = "ab"
    scheduler.advance(by: .milliseconds(100))
    XCTAssertEqual(model.results, ["A"])
    XCTAssertFalse(model.isLoading)
    scheduler.run()
    XCTAssertEqual(model.results, ["AB"])
  }

  func testEmptyQueryShowsNothingWithoutSearching() {
    let model = makeModel()
    model.query = "a"
    scheduler.run()
    XCTAssertEqual(model.results, ["A"])

    model.query = ""
    scheduler.advance(by: .milliseconds(300))
    XCTAssertEqual(model.results, [])
    XCTAssertFalse(model.isLoading)
    XCTAssertEqual(searches, ["a"])
  }

  func testQueryTakenBackInTimeIsNotSearchedForAgain() {
    let model = makeModel()
    model.query = "same"
    scheduler.run()
    model.query = "other"
    scheduler.advance(by: .milliseconds(100))
    model.query = "same"
    scheduler.run()
    XCTAssertEqual(searches, ["same"])
  }

  func testModelThatGoesWhileSearchingLeavesNothingBehind() {
    weak var model: SearchViewModel?
    do {
      let strong = makeModel()
      model = strong
      strong.query = "a"
      scheduler.advance(by: .milliseconds(300))
      XCTAssertTrue(strong.isLoading)
    }
    XCTAssertNil(model)
    XCTAssertEqual(cancelled, ["a"])
    scheduler.assertIdle()
  }

  func testOnImmediateSchedulerTheAnswerIsThereAtOnce() {
    let model = SearchViewModel(client: SearchClient { Just([$0]).eraseToAnyPublisher() }, scheduler: .immediate)
    model.query = "now"
    XCTAssertEqual(model.results, ["now"])
    XCTAssertFalse(model.isLoading)
  }
}

final class LoginViewModelXCTests: XCTestCase {
  func testIsValidFollowsBothFields() {
    let scheduler = DispatchQueue.test
    let start = scheduler.now
    let model = LoginViewModel()
    var changes: [Change] = []
    let cancellable = model.$isValid.sink { changes.append(Change(at: start.distance(to: scheduler.now), $0)) }

    func at(_ milliseconds: Int, _ event: @escaping () -> Void) {
      scheduler.schedule(after: start.advanced(by: .milliseconds(milliseconds)), event)
    }
    at(10) { model.name = "ada" }
    at(20) { model.password = "1234567" }
    at(30) { model.password = "12345678" }
    at(40) { model.password = "123456789" }
    at(50) { model.name = "" }
    at(60) { model.name = "grace" }
    scheduler.run()

    XCTAssertEqual(
      changes,
      [
        Change(at: .zero, false), Change(at: .milliseconds(30), true), Change(at: .milliseconds(50), false),
        Change(at: .milliseconds(60), true),
      ])
    XCTAssertTrue(model.isValid)
    cancellable.cancel()
  }

  private struct Change: Equatable {
    let date: DispatchQueue.SchedulerTimeType.Stride
    let isValid: Bool

    init(at date: DispatchQueue.SchedulerTimeType.Stride, _ isValid: Bool) {
      self.date = date
      self.isValid = isValid
    }
  }
}

final class RaceXCTests: XCTestCase {
  private let scheduler = DispatchQueue.test
  private var log: [String] = []

  private func server(_ answer: String, after milliseconds: Int) -> Server {
    Server(
      answer: .success(answer), latency: .milliseconds(milliseconds), scheduler: scheduler.eraseToAnyScheduler())
  }

  private func watch(_ publisher: AnyPublisher<String, ServerFailure>) -> AnyCancellable {
    publisher.sink(
      receiveCompletion: { self.log.append($0 == .finished ? "finished" : "failed") },
      receiveValue: { self.log.append($0) })
  }

  func testFasterFutureWins() {
    let cancellable = watch(race(server("slow", after: 30).ask(), server("fast", after: 20).ask()))
    scheduler.advance(by: .milliseconds(19))
    XCTAssertEqual(log, [])
    scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(log, ["fast", "finished"])
    scheduler.run()
    XCTAssertEqual(log, ["fast", "finished"])
    cancellable.cancel()
  }

  func testOfTwoAtTheSameTimeTheOneAskedFirstWins() {
    let first = server("first", after: 20).ask()
    let second = server("second", after: 20).ask()
    let cancellable = watch(race(second, first))
    scheduler.run()
    XCTAssertEqual(log, ["first", "finished"])
    cancellable.cancel()
  }

  func testFailureThatComesFirstEndsTheRace() {
    let failing = Server(
      answer: .failure(ServerFailure()), latency: .milliseconds(10), scheduler: scheduler.eraseToAnyScheduler())
    let cancellable = watch(race(failing.ask(), server("late", after: 20).ask()))
    scheduler.run()
    XCTAssertEqual(log, ["failed"])
    cancellable.cancel()
  }

  func testCancelledRaceDeliversNothing() {
    watch(race(server("a", after: 10).ask(), server("b", after: 20).ask())).cancel()
    scheduler.run()
    XCTAssertEqual(log, [])
  }
}
