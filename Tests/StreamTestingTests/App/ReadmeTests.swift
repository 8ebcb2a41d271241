import Dispatch
import Foundation
import Observation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// Every Swift code block of README.md is here, line for line; the last test compares them.

final class SearchModel: ObservableObject {
  @Published var query = ""
  @Published private(set) var settledQuery = ""

  init(scheduler: AnySchedulerOf<DispatchQueue> = .main) {
    $query.debounce(for: .milliseconds(300), scheduler: scheduler).assign(to: &$settledQuery)
  }
}

@Test func theQuerySettlesWhenTypingHasStoppedFor300Milliseconds() {
  let scheduler = DispatchQueue.test
  let model = SearchModel(scheduler: scheduler.eraseToAnyScheduler())
  model.query = "swift"
  scheduler.advance(by: .milliseconds(299))
  #expect(model.settledQuery == "")
  scheduler.advance(by: .milliseconds(1))
  #expect(model.settledQuery == "swift")
}

actor Statistics {
  private(set) var total = 0
  private var cancellables: Set<AnyCancellable> = []

  func follow(_ orders: PassthroughSubject<Int, Never>) {
    orders.sink { self.total += $0 }.store(in: &cancellables)
  }
}

@Observable @MainActor final class ObservableQuery {
  var query = ""
}

@Suite
struct ReadmeTests {
  @Test func aPollerAsksEverySecondUntilItIsStopped() {
    let scheduler = DispatchQueue.test
    var polls = 0
    let poller = scheduler.timerPublisher(every: .seconds(1)).autoconnect().sink { _ in polls += 1 }

    scheduler.advance(by: .seconds(60))
    #expect(polls == 60)
    #expect(scheduler.pendingActions.map(\.interval) == [.seconds(1)])

    scheduler.step()
    #expect(polls == 61)

    poller.cancel()
    scheduler.assertIdle()
  }

  @Test func aBurstOfTypingSettlesOnItsLastQuery() {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(100)
    let typing = scheduler.hot("a-b--c----d|")

    scheduler.expect(typing.debounce(for: .milliseconds(300), scheduler: scheduler), "--------c--|")
    scheduler.assertNothingLeft()
  }

  @MainActor @Test func anAnswerComesWhenTypingHasStopped() {
    let scheduler = DispatchQueue.test
    scheduler.withVirtualWorld {
      let model = AsyncSearchViewModel(clock: scheduler.clock) { query in [query.uppercased()] }
      model.query = "swift"
      scheduler.advance(by: .milliseconds(300))
      #expect(model.results == ["SWIFT"])
    }
  }

  @MainActor @Test func `a sink is isolated to its actor`() {
    let scheduler = DispatchQueue.test
    scheduler.withVirtualWorld {
      let (statistics, orders) = (Statistics(), PassthroughSubject<Int, Never>())
      var total = 0
      Task { await statistics.follow(orders) }
      scheduler.advance()
      for order in 1...3 { orders.send(order) }
      Task { total = await statistics.total }
      scheduler.advance()
      #expect(total == 6)
    }
  }

  @MainActor @Test func `models and tasks are publishers`() async {
    let scheduler = DispatchQueue.test
    let model = ObservableQuery()
    var cancellables: Set<AnyCancellable> = []
    var results: [String] = []
    func search(_ query: String) async -> [String] { [query.uppercased()] }
    scheduler.withVirtualWorld {
      Observed { model.query }
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .flatMapLatest { query in await search(query) }
        .sink { results = $0 }
        .store(in: &cancellables)
      model.query = "swift"
      scheduler.advance()
      scheduler.advance(by: .milliseconds(300))
      #expect(results == ["SWIFT"])
      cancellables = []
    }
    let names = ["Ada", "Grace"].publisher
    var greetings: [String] = []
    for await name in names.values(buffering: .bounded(16)) { greetings.append("Hello \(name)") }
    #expect(greetings == ["Hello Ada", "Hello Grace"])
  }

  @Test func `a search is retried with growing delays, and shared`() {
    let scheduler = DispatchQueue.test
    var searches = 0
    let search = Deferred {
      searches += 1
      return searches < 3 ? Result<String, URLError>.Publisher(URLError(.timedOut)) : .init("found")
    }
    let policy = RetryPolicy.exponentialBackoff(first: .seconds(1), longest: .seconds(30), maxRetries: 5)
    let answer = search.retry(policy, scheduler: scheduler).share(replay: 1)
    let recorder = scheduler.record(answer)
    let second = scheduler.record(answer)
    scheduler.run()
    #expect(searches == 3)
    #expect(recorder.values == ["found"])
    #expect(second.values == ["found"])
  }

  @Test func withoutTimeTheQuerySettlesAtOnce() {
    let model = SearchModel(scheduler: .immediate)
    model.query = "swift"
    #expect(model.settledQuery == "swift")

    let (_, issues) = IssueReporter.withCapture { SearchModel(scheduler: .unimplemented("search")) }
    #expect(issues.first?.message.contains("search") == true)
  }

  @Test func `schedulers provide timers and sleeps`() async throws {
    var ticks = 0
    let scheduler = DispatchQueue.global().eraseToAnyScheduler()
    try await scheduler.sleep(for: .milliseconds(1))
    for await _ in scheduler.timer(interval: .milliseconds(1)).prefix(3) { ticks += 1 }
    #expect(ticks == 3)
  }

  @Test func `the example of the scheduler documentation counts to sixty`() {
    let scheduler = DispatchQueue.test
    var seconds = 0
    let cancellable = scheduler.timerPublisher(every: .seconds(1)).autoconnect().sink { _ in seconds += 1 }

    scheduler.advance(by: .seconds(60))  // seconds == 60
    #expect(seconds == 60)
    cancellable.cancel()
    scheduler.assertIdle()
  }

  @Test func `every code block of the README is in this file`() throws {
    let file = URL(fileURLWithPath: #filePath)
    var package = file
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let readme = try lines(of: package.appendingPathComponent("README.md"))
    let compiled = try lines(of: file).joined(separator: "\n")

    var blocks: [[String]] = []
    var block: [String]?
    for line in readme {
      switch line {
      case "```swift": block = []
      case "```":
        if let finished = block { blocks.append(finished) }
        block = nil
      default: block?.append(line)
      }
    }
    // Code of a package manifest cannot be part of a test.
    blocks.removeAll { $0[0].hasPrefix(".package(") }
    #expect(blocks.count == 9)
    for block in blocks {
      for part in block.split(separator: "", omittingEmptySubsequences: true) {
        #expect(compiled.contains(part.joined(separator: "\n")))
      }
    }
  }

  /// The lines without their indentation.
  private func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

/// Differences from Combine that the README states.
@Suite
struct DifferenceTests {
  private let scheduler = DispatchQueue.test

  @Test func `a value sent during a delivery waits until every subscriber has the previous one`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [String] = []
    let first = subject.sink {
      log.append("first \($0)")
      if $0 == 1 { subject.send(2) }
    }
    let second = subject.sink { log.append("second \($0)") }
    subject.send(1)
    #expect(log == ["first 1", "second 1", "first 2", "second 2"])
    _ = (first, second)
  }

  @Test func `a subject delivers to subscribers in the order in which they subscribed`() {
    let subject = PassthroughSubject<Void, Never>()
    var log: [Int] = []
    let cancellables = (0..<100).map { number in subject.sink { log.append(number) } }
    subject.send()
    #expect(log == Array(0..<100))
    _ = cancellables
  }

  @Test func `a cancellation before the subscription arrives is remembered`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [Int] = []
    let cancellable = subject.subscribe(on: scheduler).sink { log.append($0) }
    cancellable.cancel()
    scheduler.run()
    subject.send(1)
    #expect(log == [])
  }

  @Test func `cancellation drops pending values, even after upstream has finished`() {
    var log: [Int] = []
    let delayed = [1, 2].publisher.delay(for: .seconds(1), scheduler: scheduler).sink { log.append($0) }
    let received = [1, 2].publisher.receive(on: scheduler).sink { log.append($0) }
    delayed.cancel()
    received.cancel()
    scheduler.run()
    #expect(log == [])
  }

  @Test func `cancelled operators have nothing scheduled`() {
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = [
      subject.delay(for: .seconds(3600), scheduler: scheduler).sink { _ in },
      subject.debounce(for: .seconds(3600), scheduler: scheduler).sink { _ in },
      subject.timeout(.seconds(3600), scheduler: scheduler).sink { _ in },
    ]
    subject.send(1)
    subject.send(2)
    scheduler.advance()
    #expect(scheduler.pendingCount == 3)
    for cancellable in cancellables { cancellable.cancel() }
    scheduler.assertIdle()
  }

  @Test func `debounce has at most one action scheduled`() {
    let subject = PassthroughSubject<Int, Never>()
    var log: [Int] = []
    let cancellable = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { log.append($0) }
    for number in 1...1000 {
      subject.send(number)
      scheduler.advance(by: .milliseconds(1))
      #expect(scheduler.pendingCount == 1)
    }
    scheduler.run()
    #expect(log == [1000])
    cancellable.cancel()
  }

  @Test func `receive(on:) a concurrent queue preserves order`() async {
    let received = Log<Int>()
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let cancellable = (0..<1000).publisher.receive(on: queue).sink { received.append($0) }
    #expect(await received.first(1000) == Array(0..<1000))
    cancellable.cancel()
  }

  @Test func `operators on a sequence run on demand`() {
    var calls = 0
    let publisher = (1...).publisher.map { number in
      calls += 1
      return number * 2
    }
    #expect(calls == 0)
    var log: [Int] = []
    let cancellable = publisher.prefix(2).sink { log.append($0) }
    #expect(log == [2, 4])
    #expect(calls == 2)
    cancellable.cancel()
  }

  @Test func `awaiting a throwing future ends when the task is cancelled`() async {
    let future = Future<Int, ServerFailure> { _ in }
    let task = Task { try await future.value }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
