import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import XCTest

/// The same tests as `ThreeWaysTests`, written with XCTest.
final class ThreeWaysXCTests: XCTestCase {
  private let scheduler = DispatchQueue.test

  override func tearDown() { scheduler.assertNothingLeft() }

  // MARK: The login form

  func testFormIsValidWhileBothFieldsAre_recorded() {
    let model = LoginViewModel()
    let names = scheduler.hot(.next(at: 10, "ada"), .next(at: 50, ""), .next(at: 60, "grace"))
    let passwords = scheduler.hot(.next(at: 20, "1234567"), .next(at: 30, "12345678"))
    let typing = [names.assign(to: \.name, on: model), passwords.assign(to: \.password, on: model)]
    let isValid = scheduler.record(model.$isValid)
    scheduler.run()
    XCTAssertEqual(
      isValid.events, [.next(at: 0, false), .next(at: 30, true), .next(at: 50, false), .next(at: 60, true)])
    isValid.cancel()
    typing.forEach { $0.cancel() }
  }

  func testFormIsValidWhileBothFieldsAre_marbles() {
    let model = LoginViewModel()
    let names = scheduler.hot("-a---eg", values: ["a": "ada", "e": "", "g": "grace"])
    let passwords = scheduler.hot("--sl---", values: ["s": "1234567", "l": "12345678"])
    let typing = [names.assign(to: \.name, on: model), passwords.assign(to: \.password, on: model)]
    scheduler.expect(model.$isValid, "f--t-ft", values: ["f": false, "t": true])
    typing.forEach { $0.cancel() }
  }

  func testFormIsValidWhileBothFieldsAre_advancing() {
    let model = LoginViewModel()
    model.name = "ada"
    scheduler.schedule(after: scheduler.now.advanced(by: 30)) { model.password = "12345678" }
    scheduler.advance(by: 29)
    XCTAssertFalse(model.isValid)
    scheduler.advance(by: 1)
    XCTAssertTrue(model.isValid)
  }

  // MARK: The race of two futures

  private func server(_ answer: String, _ seconds: Int) -> Server {
    Server(answer: .success(answer), latency: .seconds(seconds), scheduler: scheduler.eraseToAnyScheduler())
  }

  func testFasterServerWins_recorded() {
    let winner = scheduler.start(created: 0, subscribed: 0, cancelled: 1000) {
      race(self.server("far", 30).ask(), self.server("near", 20).ask())
    }
    XCTAssertEqual(winner.events, [.next(at: 20, "near"), .completed(at: 20)])
  }

  func testFasterServerWins_marbles() {
    scheduler.frame = 10
    scheduler.expect(race(server("far", 30).ask(), server("near", 20).ask()), "--('near'|)-")
  }

  func testFasterServerWins_advancing() {
    let winner = scheduler.record(race(server("far", 30).ask(), server("near", 20).ask()))
    scheduler.advance(by: 19)
    XCTAssertEqual(winner.values, [])
    scheduler.advance(by: 1)
    XCTAssertEqual(winner.values, ["near"])
    XCTAssertEqual(winner.completion, .finished)
    scheduler.run()
  }

  // MARK: The incremental search

  private func makeModel(
    _ answers: [ColdPublisher<[String], Never, DispatchQueue.SchedulerTimeType.Stride>]
  ) -> SearchViewModel {
    SearchViewModel(
      client: SearchClient { answers[$0 == "s" ? 0 : 1].eraseToAnyPublisher() },
      scheduler: scheduler.eraseToAnyScheduler())
  }

  func testNewerQuerySupersedesRunningSearch_recorded() {
    let answers = ["S", "ST"].map {
      scheduler.cold(.next(at: .milliseconds(500), [$0]), .completed(at: .milliseconds(500)))
    }
    let model = makeModel(answers)
    let typing = scheduler.hot(.next(at: 0, "s"), .next(at: 0.4, "st")).assign(to: \.query, on: model)
    let results = scheduler.record(model.$results)
    scheduler.run()
    XCTAssertEqual(results.events, [.next(at: 0, []), .next(at: 1.2, ["ST"])])
    XCTAssertEqual(answers[0].subscriptions, [.cancelled(0.3, 0.7)])
    XCTAssertEqual(answers[1].subscriptions, [.completed(0.7, 1.2)])
    results.cancel()
    typing.cancel()
  }

  func testNewerQuerySupersedesRunningSearch_marbles() {
    scheduler.frame = .milliseconds(100)
    let answers = ["S", "ST"].map { scheduler.cold("-----(a|)", values: ["a": [$0]]) }
    let model = makeModel(answers)
    let typing = scheduler.hot("s---t", values: ["s": "s", "t": "st"]).assign(to: \.query, on: model)
    scheduler.expect(model.$results, "0-----------1", values: ["0": [], "1": ["ST"]])
    scheduler.expect(answers[0].subscriptions, "---^---!")
    scheduler.expect(answers[1].subscriptions, "-------^----!")
    typing.cancel()
  }

  func testNewerQuerySupersedesRunningSearch_advancing() {
    let answers = ["S", "ST"].map { scheduler.cold("500ms (a|)", values: ["a": [$0]]) }
    let model = makeModel(answers)
    model.query = "s"
    scheduler.advance(by: .milliseconds(400))
    XCTAssertTrue(model.isLoading)
    model.query = "st"
    scheduler.advance(by: .milliseconds(799))
    XCTAssertEqual(model.results, [])
    scheduler.advance(by: .milliseconds(1))
    XCTAssertEqual(model.results, ["ST"])
    XCTAssertFalse(model.isLoading)
  }

  // MARK: Live streams and blocking reads

  func testLiveStreamIsReadInATaskAndOnAThread() async throws {
    let queue = DispatchQueue(label: "live")
    let recorder = (1...3).publisher.receive(on: queue).record()
    let first = await recorder.next()
    XCTAssertEqual(first, 1)
    let hasFinished = await recorder.finished()
    XCTAssertTrue(hasFinished)
  }

  func testBlockingReadNeedsNoRunLoop() throws {
    let queue = DispatchQueue(label: "live")
    XCTAssertEqual(try (1...3).publisher.receive(on: queue).blocking().toArray(), [1, 2, 3])
  }
}
