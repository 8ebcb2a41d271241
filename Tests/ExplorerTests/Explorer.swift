import StreamAlgorithms
import StreamSchedulers
import Streams
import Synchronization

/// The calls that two or three threads make, and what comes of them.
struct Scenario: Sendable {
  /// One run: the calls of each thread, and a closure that describes what was observed.
  struct Instance {
    var calls: [[() -> Void]]
    /// Makes further calls, which everything must survive, and describes what was received; see ``Epilogue``.
    var outcome: () -> String

    func observe() -> String {
      Epilogue.hasBegun = true
      defer { Epilogue.hasBegun = false }
      return outcome()
    }
  }

  let name: String
  /// Outcomes that no order of whole calls gives and that the contract allows, because a cancellation or a request may also
  /// come between two signals of one call.
  let alsoAllowed: Set<String>
  /// Indicates whether signals may also end between two signals of one call, because one of the calls cancels.
  let mayEndEarly: Bool
  /// Indicates whether signals may also come later than in any order of whole calls, because what is scheduled while another
  /// thread advances may run in the next advance.
  let mayBeLater: Bool
  let make: @Sendable () -> Instance

  init(
    _ name: String, alsoAllowed: Set<String> = [], mayEndEarly: Bool = false, mayBeLater: Bool = false,
    _ make: @escaping @Sendable () -> Instance
  ) {
    self.name = name
    self.alsoAllowed = alsoAllowed
    self.mayEndEarly = mayEndEarly
    self.mayBeLater = mayBeLater
    self.make = make
  }

  /// The outcomes of all orders in which the calls can be made one after the other, on one thread: the model.
  func sequentialOutcomes() -> Set<String> {
    let counts = make().calls.map(\.count)
    var outcomes = alsoAllowed
    func extend(_ order: [Int], _ made: [Int]) {
      if made == counts {
        let instance = make()
        var next = counts.map { _ in 0 }
        for thread in order {
          instance.calls[thread][next[thread]]()
          next[thread] += 1
        }
        outcomes.insert(instance.observe())
        return
      }
      for thread in counts.indices where made[thread] < counts[thread] {
        var more = made
        more[thread] += 1
        extend(order + [thread], more)
      }
    }
    extend([], counts.map { _ in 0 })
    if mayBeLater { outcomes = Set(outcomes.map(Epilogue.withoutMarks)) }
    guard mayEndEarly else { return outcomes }
    return outcomes.reduce(into: []) { all, outcome in
      let signals = outcome.split(separator: " ")
      for count in 0...signals.count { all.insert(signals.prefix(count).joined(separator: " ")) }
    }
  }
}

/// What an exploration has found.
struct Report: CustomStringConvertible {
  var name: String
  /// The orders that were run to their end.
  var orders = 0
  /// The orders that were cut off, because they differ from another only in the order of independent steps.
  var cutOff = 0
  var mostSteps = 0
  var staleLoads = 0
  var isExhaustive = true
  /// The orders that were chosen at random after the limit.
  var sampled = 0
  var failure: (text: String, replay: String)?

  var description: String {
    let extent = isExhaustive ? "all" : "some"
    let found = failure.map { "; \($0.text); replay: \($0.replay)" } ?? ""
    let random = sampled > 0 ? " and \(sampled) at random" : ""
    let counts = "\(orders) orders\(random) of up to \(mostSteps) steps, \(cutOff) cut off"
    return "\(name): \(extent) \(counts), \(staleLoads) loads of older values\(found)"
  }
}

/// Runs the threads of a scenario in every order of their steps.
///
/// A step is a critical section or an access to an atomic value; with ``locksAreSteps`` off, a lock consists of the steps
/// of its word and of its sleeping place. The orders are searched depth first, each in a run of its own. With sleep sets
/// (Godefroid 1996), orders that differ only in the order of independent steps are cut off. Where there are more orders than
/// the limit, a tenth of the limit is sampled in addition, by partial-order sampling (Yuan, Yang and Gu 2018): each pending
/// step has a random priority, which changes when a step that it depends on is taken.
final class Explorer {
  private let threads: [ControlledThread]
  private let locksAreSteps: Bool
  private let usesSleepSets: Bool
  private let exploresStaleLoads: Bool

  // MARK: The search

  /// A point at which there is a choice: of the next thread, or of the store whose value a load returns.
  private struct Choice {
    var options: [Int]
    var position = 0
    /// The steps that were pending, to detect that a repetition differs.
    let signature: String
    let isOfThread: Bool

    var taken: Int { options[position] }
    var done: ArraySlice<Int> { options[..<position] }
  }

  private var path: [Choice] = []
  /// The source of random choices, while orders are sampled.
  private var random: SplitMix?
  private var priorities: [UInt64] = []

  // MARK: The state of a run

  private struct Store {
    let bits: UInt64
    /// The thread that stored, and its clock then.
    let thread: Int
    let time: Int
    /// The clock that an acquiring load obtains.
    let released: [Int]?
  }

  private var pending: [Message] = []
  private var holders: [UInt: Int] = [:]
  private var sleepers: [Int: UInt] = [:]
  private var clocks: [[Int]] = []
  private var lockClocks: [UInt: [Int]] = [:]
  private var stores: [UInt: [Store]] = [:]
  private var lastSeen: [[UInt: Int]] = []

  init(
    threads: Int, locksAreSteps: Bool = true, usesSleepSets: Bool = true, exploresStaleLoads: Bool = true
  ) {
    _ = Controller.shared
    self.threads = (0..<threads).map { ControlledThread($0) }
    self.locksAreSteps = locksAreSteps
    self.usesSleepSets = usesSleepSets
    self.exploresStaleLoads = exploresStaleLoads
  }

  /// Explores all orders, up to the limit, and stops at the first that fails.
  func explore(_ scenario: Scenario, limit: Int = 2_000_000) -> Report {
    Controller.shared.treatsLocksAsSteps = locksAreSteps
    let expected = scenario.sequentialOutcomes()
    var report = Report(name: scenario.name)
    path = []
    random = nil
    repeat {
      if report.orders + report.cutOff >= limit {
        report.isExhaustive = false
        sample(scenario, limit / 10, expected, &report)
        break
      }
      let run = runOnce(scenario, &report)
      report.mostSteps = max(report.mostSteps, run.steps)
      if run.isCutOff { report.cutOff += 1 } else { report.orders += 1 }
      if let failure = failure(of: run, expected) {
        report.failure = (failure, replay)
        break
      }
    } while advance()
    return report
  }

  private func failure(of run: Run, _ expected: Set<String>) -> String? {
    if run.failure != nil || run.isCutOff || expected.contains(run.outcome) { return run.failure }
    return "gives \(run.outcome), which none of the orders of whole calls does: \(expected.sorted())"
  }

  private func sample(_ scenario: Scenario, _ count: Int, _ expected: Set<String>, _ report: inout Report) {
    for seed in 0..<count where report.failure == nil {
      path = []
      random = SplitMix(state: UInt64(seed))
      let run = runOnce(scenario, &report)
      report.sampled += 1
      report.mostSteps = max(report.mostSteps, run.steps)
      report.failure = failure(of: run, expected).map { ($0, replay) }
    }
    random = nil
  }

  /// Runs one order, which was printed as a replay string.
  func replay(_ text: String, of scenario: Scenario) -> (outcome: String, failure: String?) {
    Controller.shared.treatsLocksAsSteps = locksAreSteps
    random = nil
    path = text.split(separator: " ").map {
      Choice(options: [Int($0.drop { $0 == "v" })!], signature: "", isOfThread: !$0.hasPrefix("v"))
    }
    var report = Report(name: scenario.name)
    let run = runOnce(scenario, &report)
    return (run.outcome, run.failure)
  }

  /// The choices of the last run: numbers of threads, and `v` with the age of the value that a load returned.
  private var replay: String {
    path.map { $0.isOfThread ? "\($0.taken)" : "v\($0.taken)" }.joined(separator: " ")
  }

  /// Continues with the next order. Returns `false` after the last.
  private func advance() -> Bool {
    while let last = path.indices.last {
      path[last].position += 1
      if path[last].position < path[last].options.count { return true }
      path.removeLast()
    }
    return false
  }

  /// Makes the next choice: as in the last run, or the first of the options. Returns `nil` if the run differs from the last.
  private func choose(_ options: [Int], at depth: inout Int, _ signature: @autoclosure () -> String, isOfThread: Bool)
    -> Int?
  {
    defer { depth += 1 }
    if depth < path.count {
      let choice = path[depth]
      guard choice.isOfThread == isOfThread, choice.signature.isEmpty || choice.signature == signature() else {
        return nil
      }
      return choice.taken
    }
    if random != nil {
      let chosen =
        isOfThread ? options.max { priorities[$0] < priorities[$1] }! : options.randomElement(using: &random!)!
      path.append(Choice(options: [chosen], signature: "", isOfThread: isOfThread))
      return chosen
    }
    path.append(Choice(options: options, signature: signature(), isOfThread: isOfThread))
    return options[0]
  }

  // MARK: Runs

  private struct Run {
    var outcome = ""
    var steps = 0
    var isCutOff = false
    var failure: String?
  }

  private func runOnce(_ scenario: Scenario, _ report: inout Report) -> Run {
    var run = Run()
    let instance = scenario.make()
    let count = instance.calls.count
    holders = [:]
    sleepers = [:]
    lockClocks = [:]
    stores = [:]
    priorities = (0..<count).map { _ in random?.next() ?? 0 }
    clocks = (0..<count).map { _ in (0...count).map { _ in 0 } }
    lastSeen = (0..<count).map { _ in [:] }
    for (thread, calls) in instance.calls.enumerated() { threads[thread].begin { for call in calls { call() } } }
    pending = (0..<count).map { _ in .started }
    for thread in 0..<count { letGoOn(thread) }

    var depth = 0
    var asleep: [Int: Message] = [:]
    while true {
      let waiting = (0..<count).filter { pending[$0] != .finished }
      if waiting.isEmpty { break }
      let enabled = waiting.filter(isEnabled)
      if enabled.isEmpty {
        run.failure = "a deadlock: \(waiting.map { "\($0) waits to \(pending[$0].kind)" })"
        // The threads cannot be released any more, so the process must end.
        fatalError("\(scenario.name): \(run.failure!); replay: \(replay)")
      }
      run.steps += 1
      if run.steps > 2_000 { fatalError("\(scenario.name): more than 2000 steps; replay: \(replay)") }

      let thread: Int
      if run.isCutOff || run.failure != nil {
        thread = enabled[0]
      } else {
        let options = usesSleepSets && random == nil ? enabled.filter { asleep[$0] == nil } : enabled
        if options.isEmpty {
          run.isCutOff = true
          thread = enabled[0]
        } else if options.count == 1, enabled.count == 1 {
          thread = options[0]
        } else {
          let here = depth
          let kinds = pending.map(\.kind).joined(separator: ",")
          if let chosen = choose(options, at: &depth, kinds, isOfThread: true) {
            thread = chosen
            for other in path[here].done { asleep[other] = pending[other] }
          } else {
            run.failure = "the run differs from the one before, with the same choices, after \(run.steps) steps"
            thread = enabled[0]
          }
        }
      }
      let step = pending[thread]
      if random != nil {
        for other in waiting where other == thread || !pending[other].isIndependent(of: step) {
          priorities[other] = random!.next()
        }
      }
      asleep[thread] = nil
      asleep = asleep.filter { $0.value.isIndependent(of: step) }
      letStep(thread, &depth, &run, &report)
    }
    for thread in threads.prefix(count) { thread.awaitEnd() }
    run.outcome = instance.observe()
    if scenario.mayBeLater { run.outcome = Epilogue.withoutMarks(run.outcome) }
    return run
  }

  private func isEnabled(_ thread: Int) -> Bool {
    switch pending[thread] {
    case .acquire(let lock): holders[lock] == nil
    // Asleep, or woken and waiting for the lock.
    case .sleep(let lock): sleepers[thread] == nil ? true : sleepers[thread] == 0 && holders[lock] == nil
    default: true
    }
  }

  /// Carries out the pending step of a thread in the model, and lets the thread run to its next step.
  private func letStep(_ thread: Int, _ depth: inout Int, _ run: inout Run, _ report: inout Report) {
    var answer: UInt64 = 0
    switch pending[thread] {
    case .acquire(let lock):
      holders[lock] = thread
      join(thread, lockClocks[lock])
    case .sleep(let lock):
      if sleepers[thread] == nil {
        // Releases the lock and stays where it is, until it is woken.
        holders[lock] = nil
        lockClocks[lock] = clocks[thread]
        sleepers[thread] = lock
        return
      }
      sleepers[thread] = nil
      holders[lock] = thread
      join(thread, lockClocks[lock])
    case .load(let address, let isAcquiring):
      answer = load(address, thread, isAcquiring, &depth, &run, &report)
    case .store(let address, let bits, let isReleasing):
      remember(address, thread)
      store(address, bits, thread, released: isReleasing ? clocks[thread] : nil)
    case .exchange(let address, let bits, let acquires, let releases):
      let former = remember(address, thread)
      update(address, bits, former, thread, acquires, releases)
    case .compareExchange(let address, let expected, let desired, let acquires, let releases):
      let former = remember(address, thread)
      if former.bits == expected {
        update(address, desired, former, thread, acquires, releases)
      } else {
        lastSeen[thread][address] = stores[address]!.count - 1
        if acquires { join(thread, former.released) }
      }
    case .started, .finished, .release, .wakeAll: break
    }
    letGoOn(thread, answer)
  }

  private func letGoOn(_ thread: Int, _ answer: UInt64 = 0) {
    var message = threads[thread].goOn(answer)
    while true {
      switch message {
      case .release(let lock):
        holders[lock] = nil
        lockClocks[lock] = clocks[thread]
      case .wakeAll(let lock):
        for (sleeper, place) in sleepers where place == lock { sleepers[sleeper] = 0 }
      default:
        pending[thread] = message
        return
      }
      message = threads[thread].goOn()
    }
  }

  // MARK: Memory

  private func join(_ thread: Int, _ clock: [Int]?) {
    guard let clock else { return }
    for index in clock.indices { clocks[thread][index] = max(clocks[thread][index], clock[index]) }
  }

  /// Returns the newest store, which is the value that the run began with if no controlled thread has stored.
  @discardableResult
  private func remember(_ address: UInt, _ thread: Int) -> Store {
    if stores[address] == nil {
      let before = threads[thread].bitsBefore.load(ordering: .relaxed)
      stores[address] = [Store(bits: before, thread: threads.count, time: 0, released: nil)]
    }
    return stores[address]!.last!
  }

  private func store(_ address: UInt, _ bits: UInt64, _ thread: Int, released: [Int]?) {
    clocks[thread][thread] += 1
    stores[address]!.append(
      Store(bits: bits, thread: thread, time: clocks[thread][thread], released: released == nil ? nil : clocks[thread]))
    lastSeen[thread][address] = stores[address]!.count - 1
  }

  /// Stores what a read-modify-write operation makes of the newest value. It continues the release sequence of that value.
  private func update(
    _ address: UInt, _ bits: UInt64, _ former: Store, _ thread: Int, _ acquires: Bool, _ releases: Bool
  ) {
    if acquires { join(thread, former.released) }
    clocks[thread][thread] += 1
    var released = releases ? clocks[thread] : nil
    if let earlier = former.released {
      released = released.map { zip($0, earlier).map { max($0, $1) } } ?? earlier
    }
    stores[address]!.append(Store(bits: bits, thread: thread, time: clocks[thread][thread], released: released))
    lastSeen[thread][address] = stores[address]!.count - 1
  }

  /// Chooses the store whose value a load returns, among those that the thread may see.
  private func load(
    _ address: UInt, _ thread: Int, _ isAcquiring: Bool, _ depth: inout Int, _ run: inout Run, _ report: inout Report
  ) -> UInt64 {
    remember(address, thread)
    let history = stores[address]!
    var oldest = lastSeen[thread][address] ?? 0
    for (index, store) in history.enumerated().dropFirst(oldest)
    where store.thread == threads.count || clocks[thread][store.thread] >= store.time {
      oldest = max(oldest, index)
    }
    let newest = history.count - 1
    var age = 0
    if exploresStaleLoads, oldest < newest, !run.isCutOff, run.failure == nil {
      if let chosen = choose(Array(0...(newest - oldest)), at: &depth, "ages \(newest - oldest)", isOfThread: false) {
        age = chosen
        if age > 0 { report.staleLoads += 1 }
      } else {
        run.failure = "the run differs from the one before, with the same choices"
      }
    }
    let seen = history[newest - age]
    lastSeen[thread][address] = newest - age
    if isAcquiring { join(thread, seen.released) }
    return seen.bits
  }
}
