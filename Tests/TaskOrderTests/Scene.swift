import Dispatch
import StreamSchedulers
import Streams

/// A hundred workers on a scheduler: each wakes five times, and each time calls an actor and nonisolated functions.
///
/// The times at which workers wake follow from simple arithmetic, so that the events at each moment can be checked.
final class Scene: Sendable {
  static let workerCount = 100
  static let rounds = 5
  /// The last worker is done after 15 seconds.
  static let advances = 15

  let scheduler = DispatchQueue.test
  let trace = Trace()
  let isWorld: Bool
  private let counter = Counter()
  private let start: DispatchQueue.SchedulerTimeType

  /// The actions to run before time advances to a second.
  @MainActor private var preparations: [Int: [@MainActor () -> Void]] = [:]

  init(isWorld: Bool) {
    self.isWorld = isWorld
    start = scheduler.now
  }

  /// Returns the number of seconds that a worker waits in a round: one to three.
  static func pause(_ worker: Int, _ round: Int) -> Int { 1 + (worker * 7 + round * 5 + worker / 10 * round) % 3 }

  /// Returns the second after the beginning at which a worker wakes in a round.
  static func date(_ worker: Int, _ round: Int) -> Int { (0...round).reduce(0) { $0 + pause(worker, $1) } }

  /// The number of times that workers have woken after each second.
  static let wakeUps: [Int] = (0...advances).map { second in
    (0..<workerCount).reduce(0) { sum, worker in
      sum + (0..<rounds).count { date(worker, $0) <= second }
    }
  }

  var milliseconds: Int { start.distance(to: scheduler.now).magnitude / 1_000_000 }

  func note(_ event: Trace.Event, _ worker: Int, _ value: Int = 0) {
    trace.append(.init(time: milliseconds, task: worker, event: event, value: value))
  }

  @MainActor
  func betweenAdvances(before second: Int, _ action: @escaping @MainActor () -> Void) {
    preparations[second, default: []].append(action)
  }

  @MainActor
  func prepare(_ second: Int) {
    for action in preparations[second] ?? [] { action() }
  }

  // MARK: What workers do

  /// Starts a task: on the scheduler, or a plain one in a world.
  @discardableResult
  func task(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    isWorld ? Task(operation: operation) : Task(on: scheduler, operation: operation)
  }

  func sleep(_ seconds: Int) async {
    // A cancelled sleep ends early, which the trace shows.
    try? await scheduler.sleep(for: .seconds(seconds))
  }

  /// Works through five rounds, and waits for each in the way that the closure defines.
  nonisolated(nonsending)
    func work(_ worker: Int, wait: nonisolated(nonsending) (_ round: Int) async -> Void) async
  {
    note(.started, worker)
    for round in 0..<Self.rounds {
      await wait(round)
      await wake(worker, round)
    }
    note(.ended, worker)
  }

  /// A worker that sleeps.
  func sleeper(_ worker: Int) async {
    await work(worker) { await sleep(Self.pause(worker, $0)) }
  }

  nonisolated(nonsending)
    func wake(_ worker: Int, _ round: Int) async
  {
    note(.woken, worker, round)
    note(.counted, worker, await counter.add(worker))
    note(.computed, worker, await compute(worker))
  }

  @concurrent
  func compute(_ number: Int) async -> Int { await double(number) + 1 }

  nonisolated(nonsending)
    func double(_ number: Int) async -> Int
  { number * 2 }
}

/// An actor that all workers share. Its sum depends on the order of their calls.
actor Counter {
  private var sum = 0

  func add(_ number: Int) -> Int {
    sum = (sum &* 31 &+ number) % 1_000_003
    return sum
  }
}
