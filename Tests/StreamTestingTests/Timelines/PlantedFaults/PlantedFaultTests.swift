import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Testing

@Suite
struct PlantedFaultTests {
  @Test func `there are twenty faults with names of their own`() {
    let faults = PlantedFault.all
    #expect(faults.count == 20)
    #expect(Set(faults.map(\.name)).count == 20)
    #expect(faults.filter { $0.origin == "written here" }.count == 10)
    #expect(faults.map(\.name) == Example.all.map(\.name))
  }

  @Test(arguments: PlantedFault.all.indices)
  func `a timeline shows the fault and no mistake of the correct code`(index: Int) throws {
    let (fault, example) = (PlantedFault.all[index], Example.all[index])
    #expect(throws: PropertyViolation.self, "\(fault.name)") { try fault.fails.check(with: example.showing) }
    #expect(throws: Never.self, "\(fault.name)") { try fault.holds.check(with: example.showing) }
  }

  @Test(arguments: PlantedFault.all.indices)
  func `a similar timeline does not show the fault, nor does an empty one`(index: Int) throws {
    let (fault, example) = (PlantedFault.all[index], Example.all[index])
    for inputs in [example.hiding, Inputs("-"), Inputs("|")] {
      #expect(throws: Never.self, "\(fault.name)") { try fault.fails.check(with: inputs) }
      #expect(throws: Never.self, "\(fault.name)") { try fault.holds.check(with: inputs) }
    }
  }

  @Test(arguments: PlantedFault.all.indices)
  func `the correct code makes no mistake in any of many timelines, and the faulty code not in each`(
    index: Int
  ) throws {
    let fault = PlantedFault.all[index]
    var generator = SplitMix(state: UInt64(index))
    var violationCount = 0
    for _ in 0..<300 {
      let inputs = Inputs(from: &generator)
      #expect(throws: Never.self, "\(fault.name), \(inputs)") { try fault.holds.check(with: inputs) }
      do {
        try fault.fails.check(with: inputs)
      } catch is PropertyViolation {
        violationCount += 1
      }
    }
    #expect(violationCount < 300, "\(fault.name)")
  }
}

/// What a property can be given.
private struct Inputs {
  /// The letters and the numbers as diagrams, in which a frame is 100 ms.
  var letters: String
  var numbers = "-"
  var delays: [Property.Stride] = []
  var demand: DemandScript<Property.Stride> = .unlimited
  var cancellation: Property.Stride?

  init(
    _ letters: String, numbers: String = "-", delays: [Property.Stride] = [],
    demand: DemandScript<Property.Stride> = .unlimited, cancellation: Property.Stride? = nil
  ) {
    self.letters = letters
    self.numbers = numbers
    self.delays = delays
    self.demand = demand
    self.cancellation = cancellation
  }

  /// Creates random inputs, in which many events are at the same time, or apart by exactly the interval of a fault.
  init(from generator: inout SplitMix) {
    letters = Self.diagram(["a", "b", "c"], ends: ["|", "#"], &generator)
    numbers = Self.diagram(["0", "1", "2"], ends: ["|"], &generator)
    delays = (0..<8).map { _ in
      .milliseconds([0, 100, 300, 700, 1000, 1200, 2500].randomElement(using: &generator) ?? 0)
    }
    if Bool.random(using: &generator) { cancellation = .milliseconds(Self.gap(&generator) + Self.gap(&generator)) }
    if Bool.random(using: &generator) {
      demand = .initial(
        .max(Int.random(in: 0...2, using: &generator)), perValue: .max(Int.random(in: 0...2, using: &generator)),
        requests: (0..<Int.random(in: 0...3, using: &generator)).map {
          .request(at: .milliseconds($0 * 400), .max(1))
        })
    }
  }

  private static func gap(_ generator: inout SplitMix) -> Int {
    [0, 0, 1, 100, 199, 200, 299, 300, 301, 400, 500, 501, 600, 900, 999, 1000, 1001, 1500]
      .randomElement(using: &generator) ?? 0
  }

  private static func diagram(_ names: [String], ends: [String], _ generator: inout SplitMix) -> String {
    var symbols = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
      names.randomElement(using: &generator) ?? ""
    }
    if Bool.random(using: &generator) { symbols.append(ends.randomElement(using: &generator) ?? "") }
    var groups: [(gap: Int, symbols: String)] = []
    for symbol in symbols {
      let gap = gap(&generator)
      if gap == 0, !groups.isEmpty {
        groups[groups.count - 1].symbols += symbol
      } else {
        groups.append((gap, symbol))
      }
    }
    return groups.isEmpty ? "-" : groups.map { "\($0.gap)ms (\($0.symbols))" }.joined(separator: " ")
  }

  /// The letters with an end in place of a failure.
  var safeLetters: Marbles { Marbles(letters.replacing("#", with: "|")) }
}

extension Property {
  /// Checks whether the property holds on a scheduler of its own.
  fileprivate func check(with inputs: Inputs) throws {
    let scheduler = DispatchQueue.test
    scheduler.frame = .milliseconds(100)
    switch self {
    case .letters(let body): try body(scheduler.hot(inputs.safeLetters), scheduler)
    case .lettersAndNumbers(let body):
      let numbers = scheduler.hot(Marbles(inputs.numbers)) { Int($0) }
      try body(scheduler.hot(inputs.safeLetters), numbers, scheduler)
    case .failingLetters(let body):
      try body(scheduler.hot(Marbles(inputs.letters), error: TestError.first), scheduler)
    case .lettersAndDelays(let body):
      var delays = inputs.delays.makeIterator()
      try body(scheduler.hot(inputs.safeLetters), { delays.next() ?? .milliseconds(100) }, scheduler)
    case .lettersAndDemand(let body): try body(scheduler.cold(inputs.safeLetters), inputs.demand, scheduler)
    case .lettersAndCancellation(let body):
      try body(scheduler.hot(inputs.safeLetters), inputs.cancellation, scheduler)
    }
  }
}

/// The name of a fault, with a timeline that shows it and one that does not.
private struct Example {
  var name: String
  var showing: Inputs
  var hiding: Inputs

  /// In the order of the faults.
  static var all: [Self] {
    [
      Self(
        name: "the debounce that repeats its value at the end", showing: Inputs("a---|"), hiding: Inputs("a-b-|")),
      Self(
        name: "the throttle that loses the last value at the end", showing: Inputs("ab-|"),
        hiding: Inputs("ab------|")),
      Self(
        name: "the operator that remembers values of an earlier subscription",
        showing: Inputs("a--a", cancellation: .milliseconds(100)),
        hiding: Inputs("a--b", cancellation: .milliseconds(100))),
      Self(name: "the prefix that ends one value late", showing: Inputs("abc-d"), hiding: Inputs("ab(c|)")),
      Self(
        name: "the batches without a timer after a full one", showing: Inputs("abc 2s |"),
        hiding: Inputs("abc-|")),
      Self(
        name: "the timer of a full batch that cuts the next one short", showing: Inputs("abc"),
        hiding: Inputs("abc-|")),
      Self(name: "the delay that turns a failure into an end", showing: Inputs("a#"), hiding: Inputs("a---#")),
      Self(
        name: "the delay that publishes after the cancellation",
        showing: Inputs("a", cancellation: .milliseconds(100)),
        hiding: Inputs("a", cancellation: .milliseconds(300))),
      Self(
        name: "the zip that ends with values in its queue", showing: Inputs("a|", numbers: "---1"),
        hiding: Inputs("a---|", numbers: "--1|")),
      Self(
        name: "the groups that request too few values",
        showing: Inputs("abcd", demand: .initial(.max(1), perValue: .max(1))),
        hiding: Inputs("abcd", demand: .max(2))),
      Self(
        name: "the search that shows the answer to an earlier query",
        showing: Inputs("a---b", delays: [.seconds(1), .milliseconds(100)]),
        hiding: Inputs("a---b", delays: [.milliseconds(100), .seconds(1)])),
      Self(
        name: "the form that enables its button before the check", showing: Inputs("a-----b", numbers: "1"),
        hiding: Inputs("a-----b", numbers: "0")),
      Self(
        name: "the retry that sends a message twice",
        showing: Inputs("a", delays: [.milliseconds(1500), .milliseconds(1000)]),
        hiding: Inputs("a", delays: [.milliseconds(500)])),
      Self(
        name: "the auto-save that loses the last edit when closed",
        showing: Inputs("ab", cancellation: .milliseconds(500)), hiding: Inputs("ab", cancellation: .seconds(2))),
      Self(
        name: "the loading flag that stays when a request is superseded",
        showing: Inputs("ab", delays: [.milliseconds(500)]), hiding: Inputs("a----b", delays: [.milliseconds(300)])),
      Self(
        name: "the poller that loses its beat after a slow answer",
        showing: Inputs("a", delays: [.milliseconds(1500)]), hiding: Inputs("a", delays: [.milliseconds(900)])),
      Self(
        name: "the chat that listens twice after coming back", showing: Inputs("--a", numbers: "11"),
        hiding: Inputs("--a", numbers: "1--")),
      Self(
        name: "the undo that brings text back", showing: Inputs("a", numbers: "-1-----1"),
        hiding: Inputs("a", numbers: "-1--1")),
      Self(
        name: "the rate limit that allows twice as much at a boundary", showing: Inputs("a 900ms b(cd)"),
        hiding: Inputs("abcd 1s e")),
      Self(
        name: "the cache that answers with a price that is too old", showing: Inputs("a-----a-----a"),
        hiding: Inputs("a-----b-----a")),
    ]
  }
}
