import Dispatch
import Foundation
import StreamSchedulers
import StreamTesting
import Streams
import Synchronization
import Testing

/// A program has the same order in every run, however busy the machine is.
///
/// `Benchmarks determinism` does the same on a larger scale.
@Suite(.serialized, .ownThread)
struct DeterminismTests {
  @Test(arguments: Scene.Shape.allCases)
  func `fifty runs on a scheduler have the same trace while all cores are busy`(_ shape: Scene.Shape) {
    let traces = BusyThreads.during {
      (0..<50).map { _ in
        let scene = Scene(isWorld: false)
        scene.start(shape)
        scene.advance()
        return scene.log.all
      }
    }
    expectOne(traces)
  }

  @MainActor
  @Test(arguments: Scene.Shape.allCases)
  func `fifty runs in a world have the same trace while all cores are busy`(_ shape: Scene.Shape) {
    let traces = BusyThreads.during {
      (0..<50).map { _ in
        let scene = Scene(isWorld: true)
        scene.scheduler.withVirtualWorld {
          scene.start(shape)
          scene.advance()
        }
        return scene.log.all
      }
    }
    expectOne(traces)
  }

  @Test func `a sleep stays on the actor of its caller`() {
    // A task outside the timeline, on an actor of the timeline: between the call and the wake-up it stays on the actor.
    let scheduler = DispatchQueue.test
    let actor = Clerk(scheduler)
    Task.detached { await actor.sleep() }
    #expect(scheduler.armed(1))
    scheduler.advance()
    #expect(scheduler.pendingActions.map(\.date) == [scheduler.now.advanced(by: 1)])
    scheduler.advance(by: 1)
  }

  private func expectOne(_ traces: [[String]]) {
    #expect(Set(traces).count == 1)
    #expect(traces[0].count { $0.contains("woken") } == Scene.workerCount * Scene.rounds)
    #expect(traces[0].count { $0.contains("counted") } == Scene.workerCount * Scene.rounds)
  }
}

/// Workers that wake three times, and each time call an actor and a nonisolated function.
final class Scene: Sendable {
  enum Shape: CaseIterable {
    case task, asyncLet, groups, defaultActors, serialExecutor, stream, continuation, cancellation, timeout, yield
    case immediate
    case detached
  }

  static let workerCount = 10
  static let rounds = 3

  let scheduler = DispatchQueue.test
  let log = Log<String>()
  private let counter = Counter()
  private let isWorld: Bool

  init(isWorld: Bool) { self.isWorld = isWorld }

  /// The last worker is done after nine seconds.
  func advance() { for _ in 1...9 { scheduler.advance(by: 1) } }

  func start(_ shape: Shape) {
    let clerk = Clerk(scheduler)
    if shape == .groups { return startGroups() }
    for worker in 0..<Self.workerCount {
      switch shape {
      case .task, .groups: task { await self.work(worker) { await self.sleep($0) } }
      case .asyncLet:
        task {
          async let one: Void = self.work(worker) { await self.sleep($0) }
          await one
        }
      case .defaultActors: task { await self.work(worker) { await self.counter.sleep(self.scheduler, $0) } }
      case .serialExecutor: task { await self.work(worker) { await clerk.sleep($0) } }
      case .stream:
        let (rounds, continuation) = AsyncStream.makeStream(of: Void.self)
        for round in 0..<Self.rounds { at(Self.date(worker, round)) { continuation.yield() } }
        task { await self.work(worker) { _ in for await _ in rounds { break } } }
      case .continuation:
        task {
          await self.work(worker) { pause in
            await withCheckedContinuation { continuation in self.at(pause) { continuation.resume() } }
          }
        }
      case .cancellation:
        task {
          await self.work(worker) { pause in
            let sleeper = self.task { await self.sleep(3_600) }
            self.at(pause) { sleeper.cancel() }
            await sleeper.value
          }
        }
      case .timeout:
        task {
          await self.work(worker) { pause in
            await withTaskGroup { group in
              group.addTask { await self.sleep(pause) }
              group.addTask { await self.sleep(60) }
              await group.next()
              group.cancelAll()
            }
          }
        }
      case .yield:
        task {
          await self.work(worker) { pause in
            await self.sleep(pause)
            for _ in 0..<worker % 3 { await Task.yield() }
          }
        }
      case .immediate:
        let executor = isWorld ? nil : scheduler.taskExecutor
        Task.immediate(executorPreference: executor) { await self.work(worker) { await self.sleep($0) } }
      case .detached:
        let executor = isWorld ? nil : scheduler.taskExecutor
        Task.detached(executorPreference: executor) { await self.work(worker) { await self.sleep($0) } }
      }
    }
  }

  private func startGroups() {
    task {
      await withDiscardingTaskGroup { group in
        for five in 0..<Self.workerCount / 5 {
          group.addTask {
            await withDiscardingTaskGroup { group in
              for one in 0..<5 { group.addTask { await self.work(five * 5 + one) { await self.sleep($0) } } }
            }
          }
        }
      }
    }
  }

  @discardableResult
  private func task(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    isWorld ? Task(operation: operation) : Task(on: scheduler, operation: operation)
  }

  private static func pause(_ worker: Int, _ round: Int) -> Int { 1 + (worker * 7 + round * 5) % 3 }

  private static func date(_ worker: Int, _ round: Int) -> Int { (0...round).reduce(0) { $0 + pause(worker, $1) } }

  private func work(_ worker: Int, wait: @Sendable (_ pause: Int) async -> Void) async {
    for round in 0..<Self.rounds {
      await wait(Self.pause(worker, round))
      note("woken", worker)
      note("counted \(await counter.add(worker))", worker)
      note("computed \(await compute(worker))", worker)
    }
  }

  private func note(_ what: String, _ worker: Int) { log.append("\(scheduler.elapsed.magnitude): \(worker) \(what)") }

  private func sleep(_ seconds: Int) async { try? await scheduler.sleep(for: .seconds(seconds)) }

  private func at(_ seconds: Int, _ action: @escaping @Sendable () -> Void) {
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(seconds)), action)
  }

  @concurrent
  private func compute(_ number: Int) async -> Int { number * 2 }
}

private actor Counter {
  private var sum = 0

  func add(_ number: Int) -> Int {
    sum = (sum * 31 + number) % 1_000_003
    return sum
  }

  func sleep(_ scheduler: TestSchedulerOf<DispatchQueue>, _ seconds: Int) async {
    try? await scheduler.sleep(for: .seconds(seconds))
  }
}

/// An actor on the timeline.
private actor Clerk {
  private let scheduler: TestSchedulerOf<DispatchQueue>
  private let executor: VirtualSerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ scheduler: TestSchedulerOf<DispatchQueue>) {
    self.scheduler = scheduler
    executor = scheduler.makeSerialExecutor()
  }

  func sleep(_ seconds: Int = 1) async { try? await scheduler.sleep(for: .seconds(seconds)) }
}

/// Threads that spin and compete with a test for the cores.
private enum BusyThreads {
  private final class Flag: Sendable {
    let isOver = Atomic(false)
  }

  static func during<Result>(_ body: () -> Result) -> Result {
    let flag = Flag()
    defer { flag.isOver.store(true, ordering: .relaxed) }
    for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { while !flag.isOver.load(ordering: .relaxed) {} }
    }
    return body()
  }
}
