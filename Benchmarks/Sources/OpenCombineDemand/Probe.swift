import Workloads

#if OPENCOMBINE
  import OpenCombine
#else
  import Streams
#endif

/// The failure of a probe's sources.
struct ProbeError: Error, CustomStringConvertible {
  var description: String { "error" }
}

/// The surroundings of one operator while its demand is recorded: its sources, its subscriber and time.
final class Probe {
  let script: DemandScript
  let time = ProbeTime()
  /// Runs at the event `!`.
  var action: () -> Void = {}
  /// What is kept until the end, such as cancellables.
  var kept: [Any] = []
  private var sources: [String: any AnySource] = [:]
  private var effects: [String: Effects] = [:]
  private var requests: [() -> Void] = []

  init(_ script: DemandScript) { self.script = script }

  /// What has happened to a source or to a subscriber during one step.
  private struct Effects {
    var demand = Subscribers.Demand.none
    var notes: [String] = []

    var description: String {
      let demand = demand == .none ? [] : [demand == .unlimited ? "+unlimited" : "+\(demand.max!)"]
      return (demand + notes).joined(separator: " ")
    }
  }

  /// The source of that name, which can fail.
  subscript(name: String) -> Source<ProbeError> { source(name) }

  /// The only source, which can fail.
  var up: Source<ProbeError> { source("up") }

  /// The only source, which cannot fail.
  var safe: Source<Never> { source("up") }

  /// The source of that name.
  func source<Failure: Error>(_ name: String, _: Failure.Type = Failure.self) -> Source<Failure> {
    if let source = sources[name] as? Source<Failure> { return source }
    let source = Source<Failure>(name, self)
    sources[name] = source
    return source
  }

  /// Subscribes to a publisher, and requests what the script says.
  ///
  /// - Returns: A closure that cancels the subscription.
  @discardableResult
  func observe<P: Publisher>(
    _ publisher: P, as name: String = "down", _ script: DemandScript? = nil
  ) -> () -> Void {
    let subscriber = Downstream<P.Output, P.Failure>(name, self, script ?? self.script)
    if script == nil { requests.append { subscriber.request() } }
    publisher.subscribe(subscriber)
    return { subscriber.cancel() }
  }

  func note(_ text: String, of name: String) { effects[name, default: Effects()].notes.append(text) }

  func add(_ demand: Subscribers.Demand, of name: String) { effects[name, default: Effects()].demand += demand }

  /// Performs a scenario and returns what has happened.
  func perform(_ scenario: DemandScenario) -> DemandTranscript {
    var steps = [step("subscribe") { scenario.body(self) }]
    for event in scenario.events.split(separator: " ") {
      if event == "?" {
        if script.requestsLater { steps.append(step("request") { for request in requests { request() } }) }
      } else {
        steps.append(step(String(event)) { perform(event) })
      }
    }
    kept = []
    return DemandTranscript(scenario.name, script, steps: steps)
  }

  private func step(_ event: String, _ body: () -> Void) -> DemandTranscript.Step {
    effects = [:]
    body()
    // Work that is due at once, such as that of `receive(on:)`.
    time.advance(by: 0)
    // Subscribers last.
    let names = effects.keys.sorted { ($0.hasPrefix("down") ? 1 : 0, $0) < ($1.hasPrefix("down") ? 1 : 0, $1) }
    return DemandTranscript.Step(
      event: event, effects: names.map { "\($0): \(effects[$0]!.description)" }.joined(separator: ", "))
  }

  /// Performs an event: `1` sends a value, `|` finishes, `#` fails, each from the source `up` or the one whose letter
  /// precedes it; `+10` advances time, and `!` runs the action.
  private func perform(_ event: Substring) {
    if event == "!" { return action() }
    if event.hasPrefix("+") { return time.advance(by: Int(event.dropFirst())!) }
    let letter = event.prefix { $0.isLetter }
    let source = sources[letter.isEmpty ? "up" : String(letter)]
    guard let source else { return note("is not used", of: String(letter)) }
    switch event.dropFirst(letter.count) {
    case "|": source.finish()
    case "#": source.fail()
    case let value: source.send(Int(value)!)
    }
  }
}

/// A source of any type.
private protocol AnySource {
  func send(_ value: Int)
  func finish()
  func fail()
}

/// A publisher that sends what it is told, drops a value that nobody has requested, and records its demand.
///
/// It has one subscriber at a time: a later one takes the place of an earlier.
final class Source<Failure: Error>: Publisher, AnySource {
  typealias Output = Int

  private let name: String
  private unowned let probe: Probe
  private var link: SourceLink<Failure>?

  init(_ name: String, _ probe: Probe) {
    self.name = name
    self.probe = probe
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
    probe.note("subscribed", of: name)
    let link = SourceLink<Failure>(name, probe)
    self.link = link
    link.receiveValue = { subscriber.receive($0) }
    link.receiveCompletion = { subscriber.receive(completion: $0) }
    subscriber.receive(subscription: link)
  }

  fileprivate func send(_ value: Int) {
    guard let link, link.isActive else { return probe.note("has no subscriber", of: name) }
    link.send(value)
  }

  fileprivate func finish() { link?.complete(.finished) }

  fileprivate func fail() { link?.complete(.failure(ProbeError() as! Failure)) }
}

/// The subscription of a source.
private final class SourceLink<Failure: Error>: Subscription {
  private let name: String
  private unowned let probe: Probe
  private var demand = Subscribers.Demand.none
  private(set) var isActive = true
  var receiveValue: (Int) -> Subscribers.Demand = { _ in .none }
  var receiveCompletion: (Subscribers.Completion<Failure>) -> Void = { _ in }

  init(_ name: String, _ probe: Probe) {
    self.name = name
    self.probe = probe
  }

  func request(_ demand: Subscribers.Demand) {
    guard isActive else { return }
    // Nothing can be added to unlimited demand.
    if self.demand != .unlimited { probe.add(demand, of: name) }
    self.demand += demand
  }

  func cancel() {
    guard isActive else { return }
    isActive = false
    probe.note("cancelled", of: name)
  }

  func send(_ value: Int) {
    guard demand > .none else { return probe.note("drops \(value)", of: name) }
    demand -= 1
    let more = receiveValue(value)
    if more > .none { request(more) }
  }

  func complete(_ completion: Subscribers.Completion<Failure>) {
    guard isActive else { return }
    isActive = false
    receiveCompletion(completion)
  }
}

/// A subscriber that requests what a script says, and records what it receives.
private final class Downstream<Input, Failure: Error>: Subscriber {
  private let name: String
  private unowned let probe: Probe
  private let script: DemandScript
  private var subscription: (any Subscription)?

  init(_ name: String, _ probe: Probe, _ script: DemandScript) {
    self.name = name
    self.probe = probe
    self.script = script
  }

  func request() { subscription?.request(.max(1)) }

  func cancel() { subscription?.cancel() }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    switch script {
    case .none, .late: break
    case .one, .returning: subscription.request(.max(1))
    case .twoThenOne: subscription.request(.max(2))
    case .unlimited: subscription.request(.unlimited)
    }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    probe.note("\(input)", of: name)
    return script == .returning ? .max(1) : .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    subscription = nil
    switch completion {
    case .finished: probe.note("finished", of: name)
    case .failure(let error): probe.note("failed with \(error)", of: name)
    }
  }
}
