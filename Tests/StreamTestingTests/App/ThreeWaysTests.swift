import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

/// The three ways of the article on testing streams, for its form, its race and the search of the example.
@Suite
struct ThreeWaysTests {
  // MARK: The login form

  @Test func theFormIsValidWhileBothFieldsAre_recorded() {
    let scheduler = DispatchQueue.test
    let model = LoginViewModel()
    let names = scheduler.hot(
      .next(at: .milliseconds(10), "ada"), .next(at: .milliseconds(50), ""), .next(at: .milliseconds(60), "grace"))
    let passwords = scheduler.hot(.next(at: .milliseconds(20), "1234567"), .next(at: .milliseconds(30), "12345678"))
    let typing = [names.assign(to: \.name, on: model), passwords.assign(to: \.password, on: model)]

    let isValid = scheduler.record(model.$isValid)
    scheduler.run()

    isValid.expect([
      .next(at: 0, false), .next(at: .milliseconds(30), true), .next(at: .milliseconds(50), false),
      .next(at: .milliseconds(60), true),
    ])
    isValid.cancel()
    typing.forEach { $0.cancel() }
    scheduler.assertNothingLeft()
  }

  @Test func theFormIsValidWhileBothFieldsAre_marbles() {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(10)
    let model = LoginViewModel()
    let names = scheduler.hot("-a---eg", values: ["a": "ada", "e": "", "g": "grace"])
    let passwords = scheduler.hot("--sl---", values: ["s": "1234567", "l": "12345678"])
    let typing = [names.assign(to: \.name, on: model), passwords.assign(to: \.password, on: model)]

    scheduler.expect(model.$isValid, "f--t-ft", values: ["f": false, "t": true])

    typing.forEach { $0.cancel() }
    scheduler.assertNothingLeft()
  }

  @Test func theFormIsValidWhileBothFieldsAre_advancing() {
    let scheduler = DispatchQueue.test
    let model = LoginViewModel()
    scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(30))) { model.password = "12345678" }

    model.name = "ada"
    scheduler.advance(by: .milliseconds(29))
    #expect(!model.isValid)

    scheduler.advance(by: .milliseconds(1))
    #expect(model.isValid)

    model.name = ""
    #expect(!model.isValid)
    scheduler.assertNothingLeft()
  }

  // MARK: The race of two futures

  private func server(_ answer: String, _ milliseconds: Int, _ scheduler: TestSchedulerOf<DispatchQueue>) -> Server {
    Server(
      answer: .success(answer), latency: .milliseconds(milliseconds), scheduler: scheduler.eraseToAnyScheduler())
  }

  @Test func theFasterServerWins_recorded() {
    let scheduler = DispatchQueue.test
    let (near, far) = (server("near", 20, scheduler), server("far", 30, scheduler))

    let winner = scheduler.record(race(far.ask(), near.ask()))
    scheduler.run()

    winner.expect([.next(at: .milliseconds(20), "near"), .completed(at: .milliseconds(20))])
    scheduler.assertNothingLeft()
  }

  @Test func theFasterServerWins_marbles() {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(10)
    let (near, far) = (server("near", 20, scheduler), server("far", 30, scheduler))

    scheduler.expect(race(far.ask(), near.ask()), "--('near'|)-")

    scheduler.assertNothingLeft()
  }

  @Test func theFasterServerWins_advancing() {
    let scheduler = DispatchQueue.test
    let (near, far) = (server("near", 20, scheduler), server("far", 30, scheduler))
    let winner = scheduler.record(race(far.ask(), near.ask()))

    scheduler.advance(by: .milliseconds(19))
    #expect(winner.values == [])

    scheduler.advance(by: .milliseconds(1))
    #expect(winner.values == ["near"])
    #expect(winner.completion == .finished)

    scheduler.run()
    scheduler.assertNothingLeft()
  }

  // MARK: The incremental search

  @Test func aNewerQuerySupersedesARunningSearch_recorded() {
    let scheduler = DispatchQueue.test
    let answers = ["s", "st"].map { query in
      scheduler.cold(
        .next(at: .milliseconds(500), [query.uppercased()]), .completed(at: .milliseconds(500)))
    }
    let client = SearchClient { answers[$0 == "s" ? 0 : 1].eraseToAnyPublisher() }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
    let typing = scheduler.hot(.next(at: 0, "s"), .next(at: .milliseconds(400), "st")).assign(to: \.query, on: model)

    let results = scheduler.record(model.$results)
    scheduler.run()

    results.expect([.next(at: 0, []), .next(at: .milliseconds(1200), ["ST"])])
    #expect(answers[0].subscriptions == [.cancelled(.milliseconds(300), .milliseconds(700))])
    #expect(answers[1].subscriptions == [.completed(.milliseconds(700), .milliseconds(1200))])
    results.cancel()
    typing.cancel()
    scheduler.assertNothingLeft()
  }

  @Test func aNewerQuerySupersedesARunningSearch_marbles() {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(100)
    let answers = ["s", "st"].map { query in
      scheduler.cold("-----(a|)", values: ["a": [query.uppercased()]])
    }
    let client = SearchClient { answers[$0 == "s" ? 0 : 1].eraseToAnyPublisher() }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())
    let typing = scheduler.hot("s---t", values: ["s": "s", "t": "st"]).assign(to: \.query, on: model)

    scheduler.expect(model.$results, "0-----------1", values: ["0": [], "1": ["ST"]])

    scheduler.expect(answers[0].subscriptions, "---^---!")
    scheduler.expect(answers[1].subscriptions, "-------^----!")
    typing.cancel()
    scheduler.assertNothingLeft()
  }

  @Test func aNewerQuerySupersedesARunningSearch_advancing() {
    let scheduler = DispatchQueue.test
    let client = SearchClient { query in
      Just([query.uppercased()]).delay(for: .milliseconds(500), scheduler: scheduler).eraseToAnyPublisher()
    }
    let model = SearchViewModel(client: client, scheduler: scheduler.eraseToAnyScheduler())

    model.query = "s"
    scheduler.advance(by: .milliseconds(400))
    #expect(model.isLoading)

    model.query = "st"
    scheduler.advance(by: .milliseconds(799))
    #expect(model.results == [])

    scheduler.advance(by: .milliseconds(1))
    #expect(model.results == ["ST"])
    #expect(!model.isLoading)
    scheduler.assertNothingLeft()
  }

  // MARK: The documentation

  @Test func `the article shows the actual failure message`() throws {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(10)
    let model = LoginViewModel()
    let names = scheduler.hot("-a---eg", values: ["a": "ada", "e": "", "g": "grace"])
    let passwords = scheduler.hot("--sl---", values: ["s": "1234567", "l": "12345678"])
    let typing = [names.assign(to: \.name, on: model), passwords.assign(to: \.password, on: model)]
    let (_, issues) = IssueReporter.withCapture {
      scheduler.expect(model.$isValid, "f---tft", values: ["f": false, "t": true])
    }
    var package = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let article = package.appendingPathComponent("Sources/StreamTesting/StreamTesting.docc/TestingStreams.md")
    let message = try #require(issues.first?.message)
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```text\n\(message)\n```"), "\(message)")
    typing.forEach { $0.cancel() }
  }
}
