import Dispatch
import Foundation
import StreamAlgorithms
import StreamSchedulers
import StreamTesting
import Streams
import Testing

// The features that the article on actors and isolation shows. The last test compares its table of deliveries with the tests.

actor Ledger {
  private(set) var balance = 0
  private var cancellables: Set<AnyCancellable> = []

  func follow(_ payments: PassthroughSubject<Int, Never>) {
    payments.sink(with: self) { $0.balance += $1 }.store(in: &cancellables)
  }
}

actor Thermostat {
  private(set) var temperature = 0
  func adjust(to temperature: Int) { self.temperature = temperature }
}

struct ActorsAndIsolationArticleTests {
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
    let cancellable = temperatures.sink(with: thermostat) { thermostat, temperature in
      thermostat.adjust(to: temperature)
    }
    temperatures.send(21)
    // The job of the sink is ahead of this one.
    #expect(await thermostat.temperature == 21)
    cancellable.cancel()
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
      contentsOf: root.appending(path: "Sources/Streams/Streams.docc/ActorsAndIsolation.md"), encoding: .utf8)
    let lines = article.split(separator: "\n", omittingEmptySubsequences: false)
    let header = try #require(lines.firstIndex { $0.hasPrefix("| the sink is created |") })
    let rows = lines[(header + 2)...].prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) } }
      .map { $0.joined(separator: " | ") }
    #expect(Set(rows) == Set(Self.rows.keys))
    let tests = ["IsolatedSinkTests.swift", "ReceiveOnActorTests.swift"].compactMap {
      try? String(contentsOf: root.appending(path: "Tests/StreamAlgorithmsTests/Concurrency/\($0)"), encoding: .utf8)
    }.joined()
    for name in Self.rows.values.joined() { #expect(tests.contains("func `\(name)`"), "\(name)") }
  }
}
