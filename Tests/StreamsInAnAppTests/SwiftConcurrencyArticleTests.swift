import Dispatch
import Foundation
import Observation
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// The features that the article on Swift concurrency shows. The last test compares its table of deliveries with the tests.

actor Ledger {
  private(set) var balance = 0
  private var cancellables: Set<AnyCancellable> = []

  func follow(_ payments: PassthroughSubject<Int, Never>) {
    payments.receive(on: self).sink { $0.balance += $1 }.store(in: &cancellables)
  }
}

actor Thermostat {
  private(set) var temperature = 0
  func adjust(to temperature: Int) { self.temperature = temperature }
}

@Observable final class QueryModel {
  var query = ""
  var results: [String] = []
}

struct SwiftConcurrencyArticleTests {
  private let scheduler = DispatchQueue.test

  @Test func aSinkBelongsToItsActor() {
    scheduler.withVirtualWorld {
      let (ledger, payments) = (Ledger(), PassthroughSubject<Int, Never>())
      var balance = 0
      Task { await ledger.follow(payments) }
      scheduler.advance()
      for amount in 1...4 { payments.send(amount) }
      scheduler.advance()
      Task { balance = await ledger.balance }
      scheduler.advance()
      #expect(balance == 10)
    }
  }

  @Test func anActorIsHandedIn() async {
    let thermostat = Thermostat()
    let temperatures = PassthroughSubject<Int, Never>()
    let cancellable = temperatures.receive(on: thermostat).sink { thermostat, temperature in
      thermostat.adjust(to: temperature)
    }
    temperatures.send(21)
    // The job of the sink is ahead of this one.
    #expect(await thermostat.temperature == 21)
    cancellable.cancel()
  }

  @Test func aPublisherIsAnAsynchronousSequence() async {
    var sum = 0
    for await number in (1...3).publisher.map({ $0 * 10 }).values {
      sum += number
    }
    #expect(sum == 60)
  }

  @Test func valuesAreKept() async {
    let sensor = PassthroughSubject<Int, Never>()
    let readings = sensor.values(buffering: .newest(1))
    var iterator = readings.makeAsyncIterator()
    for reading in 1...3 { sensor.send(reading) }
    #expect(await iterator.next() == 3)
  }

  @Test func anAsynchronousSequenceIsAPublisher() {
    scheduler.withVirtualWorld {
      var received: [Int] = []
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let cancellable = stream.publisher.sink { received.append($0) }
      scheduler.advance()
      for number in 1...3 { continuation.yield(number) }
      scheduler.advance()
      #expect(received == [1, 2, 3])
      cancellable.cancel()
      scheduler.advance()
    }
  }

  @Test func asynchronousWorkIsAPublisher() async throws {
    struct Unknown: Error {}
    let name = "ada"
    func loadProfile(_ name: String) async throws -> Int {
      if name.isEmpty { throw Unknown() }
      return name.count
    }
    let profile = Deferred { try await loadProfile(name) }
    let legacy = Future<Int, Never> { promise in
      DispatchQueue.global().async { promise(.success(1)) }
    }
    var sizes: [Int] = []
    for try await size in profile.values { sizes.append(size) }
    #expect(sizes == [3])
    #expect(await legacy.value == 1)
  }

  @Test func aTaskRunsForEachValue() {
    scheduler.withVirtualWorld {
      let queries = PassthroughSubject<String, Never>()
      let names = ["a", "b", "c"].publisher
      func search(_ query: String) async -> String { query.uppercased() }
      func loadThumbnail(_ name: String) async -> String {
        try? await scheduler.sleep(for: name == "a" ? 2 : 1)
        return name + ".png"
      }
      let results = queries.flatMapLatest { query in await search(query) }
      let thumbnails = names.map(maxTasks: 4) { name in await loadThumbnail(name) }
      var (found, loaded): ([String], [String]) = ([], [])
      let cancellables = [results.sink { found.append($0) }, thumbnails.sink { loaded.append($0) }]
      queries.send("s")
      queries.send("swift")
      scheduler.advance(by: 1)
      #expect(found == ["SWIFT"])
      #expect(loaded == [])
      scheduler.advance(by: 1)
      #expect(loaded == ["a.png", "b.png", "c.png"])
      for cancellable in cancellables { cancellable.cancel() }
    }
  }

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

  @Test func aChainIsHandedToAnotherActor() async {
    let prices = [3, 30, 5].publisher
    let cheap = AnySendablePublisher { prices.filter { $0 < 10 } }
    let count = await Task.detached { await cheap.values.reduce(0) { count, _ in count + 1 } }.value
    #expect(count == 2)
  }

  /// Each row of the article's first table, and the tests that show it.
  private static let rows: [String: [String]] = [
    "outside any actor, or with `isolation: nil` | anywhere": [
      "a sink created outside the actor is called where the publisher sends",
      "a sink created on an actor without isolation is called where the publisher sends",
    ],
    "on an actor | on that actor, and nothing is waiting": ["a value that arrives on the actor is delivered at once"],
    "on an actor | on that actor, and earlier values are waiting": [
      "a later value that arrives on the actor does not overtake waiting ones"
    ],
    "on an actor | elsewhere": ["a value that arrives elsewhere is delivered on the actor, in order"],
    "on the main actor | from work on `DispatchQueue.main`": [
      "receive(on:) with the main queue adds no second hop"
    ],
    "on an actor, in a virtual world | elsewhere": ["in a virtual world the hop runs on virtual time"],
    "on an actor | from an action of a test scheduler": [
      "without a virtual world a hop to another actor runs on virtual time"
    ],
    "on an actor | after `cancel()` on that actor": [
      "no value is delivered after a cancellation on the actor, not even a waiting one"
    ],
    "on an actor that has been released | anywhere": ["cancels upstream when the actor is released"],
  ]

  @Test func theTableOfDeliveriesSaysWhatIsTested() throws {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
    let article = try String(
      contentsOf: root.appending(path: "Sources/Streams/Streams.docc/SwiftConcurrency.md"), encoding: .utf8)
    let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
    let header = try #require(lines.firstIndex { $0.hasPrefix("| the sink is created |") })
    let rows = lines[(header + 2)...].prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) } }
      .map { $0.joined(separator: " | ") }
    #expect(Set(rows) == Set(Self.rows.keys))
    let tests = ["IsolatedSinkTests.swift", "ReceiveOnActorTests.swift"].compactMap {
      try? String(contentsOf: root.appending(path: "Tests/StreamsTests/Isolation/\($0)"), encoding: .utf8)
    }.joined()
    for name in Self.rows.values.joined() { #expect(tests.contains("func `\(name)`"), "\(name)") }
  }
}
