import Streams

/// What a case runs in: either the library or the model.
protocol Bench: AnyObject {
  func perform(_ step: Step)
  func cancelAll()
  func now(_ clock: Clock) -> Int
  func advance(_ clock: Clock)
  func schedule(at time: Int, _ action: @escaping () -> Void)
  /// The number of actions that are left to each scheduler.
  var pendingCounts: [Int] { get }
  /// What has been asked of publishers, by the numbers of their probes.
  var probes: [Int: ProbeRecord] { get }
}

/// What both sides note down, and what subscribers do.
final class Observation {
  let test: Case
  var lines: [String] = []
  private var count = 0
  unowned var bench: (any Bench)!

  private let notesPending: Bool

  init(_ test: Case) {
    self.test = test
    notesPending = !test.schedulesRequests
  }

  func note(_ text: String, subscriber: Int) {
    lines.append("\(bench.now(.first)) \(bench.now(.second)): \(subscriber == 0 ? "" : "(\(subscriber)) ")\(text)")
  }

  /// Returns what the subscriber requests in answer.
  func receive(_ value: Int, subscriber: Int) -> Demand {
    note("\(value)", subscriber: subscriber)
    guard subscriber == 0 else { return .none }
    count += 1
    for reaction in test.reactions where reaction.time == count { bench.perform(reaction.step) }
    return .max(test.more)
  }

  func demand(subscriber: Int) -> Demand {
    subscriber > 0 ? .unlimited : test.demand.map { .max($0) } ?? .unlimited
  }

  private var lastStatus = ""
  func noteStatus() {
    let probes = bench.probes.filter { $0.value.subscriptions > 0 }.sorted { $0.key < $1.key }
    let pending = notesPending ? ["pending: \(bench.pendingCounts.map(String.init).joined(separator: " "))"] : []
    let status = (pending + probes.map { "probe \($0.key): \($0.value)" }).joined(separator: "; ")
    if status != lastStatus { lines.append("\(bench.now(.first)) \(bench.now(.second)): \(status)") }
    lastStatus = status
  }

  static let horizon = 60

  func run() {
    if test.isScheduled {
      for step in test.script { bench.schedule(at: step.time) { [unowned bench] in bench!.perform(step.step) } }
    }
    bench.perform(.subscribe)
    noteStatus()
    var steps = test.isScheduled ? [] : test.script[...]
    for time in 0..<Self.horizon {
      while let step = steps.first, step.time <= time {
        steps.removeFirst()
        bench.perform(step.step)
        noteStatus()
      }
      bench.advance(.first)
      noteStatus()
      bench.advance(.second)
      noteStatus()
    }
    bench.cancelAll()
    noteStatus()
    // What was scheduled and could not be taken back, and cancellations that `subscribe(on:)` schedules.
    for _ in 0..<4 {
      bench.advance(.first)
      bench.advance(.second)
    }
    noteStatus()
  }
}
