import Dispatch
import StreamSchedulers
import Streams

extension Construct {
  typealias Shape = (name: String, start: @Sendable @MainActor (Scene) -> Void)

  /// The constructs that exist both on a scheduler and in a world (where plain tasks run in virtual time, too).
  static let shared: [Shape] = [
    ("task", { scene in eachWorker { worker in scene.task { await scene.sleeper(worker) } } }),
    (
      "async let",
      { scene in
        for first in stride(from: 0, to: Scene.workerCount, by: 4) {
          scene.task {
            async let one: Void = scene.sleeper(first)
            async let two: Void = scene.sleeper(first + 1)
            async let three: Void = scene.sleeper(first + 2)
            async let four: Void = scene.sleeper(first + 3)
            _ = await (one, two, three, four)
          }
        }
      }
    ),
    (
      "nested groups",
      { scene in
        scene.task {
          await withTaskGroup { group in
            for ten in 0..<Scene.workerCount / 10 {
              group.addTask {
                await withDiscardingTaskGroup { group in
                  for one in 0..<10 { group.addTask { await scene.sleeper(ten * 10 + one) } }
                }
              }
            }
          }
        }
      }
    ),
    (
      "default actors",
      { scene in
        let houses = (0..<10).map { _ in House(scene) }
        eachWorker { worker in scene.task { await houses[worker % 10].work(worker) } }
      }
    ),
    (
      "actor with makeSerialExecutor",
      { scene in
        let office = Office(scene)
        eachWorker { worker in scene.task { await office.work(worker) } }
      }
    ),
    (
      "nonsending and concurrent callees",
      { scene in eachWorker { worker in scene.task { await inTurn(scene, worker, depth: 6) } } }
    ),
    (
      "AsyncStream",
      { scene in
        eachWorker { worker in
          let (rounds, continuation) = AsyncStream.makeStream(of: Int.self)
          for round in 0..<Scene.rounds { at(Scene.date(worker, round), scene) { continuation.yield(round) } }
          scene.task {
            var iterator = rounds.makeAsyncIterator()
            await scene.work(worker) { _ in _ = await iterator.next(isolation: #isolation) }
          }
        }
      }
    ),
    (
      "continuations",
      { scene in
        eachWorker { worker in
          scene.task {
            await scene.work(worker) { round in
              await withCheckedContinuation { continuation in
                at(Scene.date(worker, round), scene) { continuation.resume() }
              }
            }
          }
        }
      }
    ),
    (
      "sleep until",
      { scene in
        eachWorker { worker in
          let start = scene.scheduler.now
          scene.task {
            await scene.work(worker) { round in
              let date = start.advanced(by: .seconds(Scene.date(worker, round)))
              try? await scene.scheduler.sleep(until: date)
            }
          }
        }
      }
    ),
    (
      "cancellation",
      { scene in
        eachWorker { worker in
          scene.task {
            await scene.work(worker) { round in
              let sleeper = scene.task { await scene.sleep(3_600) }
              at(Scene.date(worker, round), scene) { sleeper.cancel() }
              await sleeper.value
            }
          }
        }
      }
    ),
    (
      "group with timeout",
      { scene in
        eachWorker { worker in
          scene.task {
            // With an even number, the work is in time; with an odd one, the timeout comes first.
            await scene.work(worker) { round in
              let pause = Scene.pause(worker, round)
              let isInTime = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                  await scene.sleep(worker % 2 == 0 ? pause : 60)
                  return true
                }
                group.addTask {
                  await scene.sleep(worker % 2 == 0 ? 60 : pause)
                  return false
                }
                let first = await group.next()
                group.cancelAll()
                return first
              }
              scene.note(.started, worker, isInTime == true ? 1 : 0)
            }
          }
        }
      }
    ),
    (
      "Task.yield",
      { scene in
        eachWorker { worker in
          scene.task {
            await scene.work(worker) { round in
              await scene.sleep(Scene.pause(worker, round))
              for _ in 0..<worker % 4 { await Task.yield() }
            }
          }
        }
      }
    ),
    ("Task.yield after an actor", { scene in eachWorker { worker in yieldAfterActor(scene, worker) } }),
  ]

  /// The constructs that exist only on a scheduler.
  static let onScheduler: [Shape] = [
    (
      "Task.immediate",
      { scene in
        eachWorker { worker in
          Task.immediate(executorPreference: scene.scheduler.taskExecutor) { await scene.sleeper(worker) }
        }
      }
    ),
    (
      "makeSerialExecutor from plain tasks",
      { scene in
        let office = Office(scene)
        eachWorker { worker in
          if worker % 20 > 0 { scene.task { await office.work(worker) } }
        }
        // The other workers run as soon as they exist, and do not sleep: a process-wide task that wakes does so on the
        // process's threads before it returns to the actor.
        for worker in stride(from: 0, to: Scene.workerCount, by: 20) {
          at(0, scene) { scene.note(.started, worker) }
          for round in 0..<Scene.rounds {
            // A task outside the timeline, started and awaited between two advances of time.
            scene.betweenAdvances(before: Scene.date(worker, round)) {
              let count = scene.scheduler.pendingCount
              Task.detached { await office.wake(worker, round) }
              // The order in which threads reach the actor is not determined, so they arrive one after the other.
              scene.scheduler.armed(count + 1)
            }
          }
        }
      }
    ),
  ]

  /// The constructs that exist only in a world.
  static let inWorld: [Shape] = [
    ("Task.detached", { scene in eachWorker { worker in Task.detached { await scene.sleeper(worker) } } }),
    ("Task.immediate", { scene in eachWorker { worker in Task.immediate { await scene.sleeper(worker) } } }),
    (
      "tasks of the main actor",
      { scene in
        let model = Model(scene)
        eachWorker { worker in model.start(worker) }
      }
    ),
    (
      "main actor from detached tasks",
      { scene in
        let model = Model(scene)
        eachWorker { worker in Task.detached { await model.work(worker) } }
      }
    ),
    (
      "unstructured tasks inside",
      { scene in
        eachWorker { worker in
          Task {
            await Task.detached {
              await scene.work(worker) { round in
                await Task { await scene.sleep(Scene.pause(worker, round)) }.value
                await MainActor.run {}
              }
            }.value
          }
        }
      }
    ),
  ]

  @MainActor
  private static func yieldAfterActor(_ scene: Scene, _ worker: Int) {
    scene.task {
      await scene.work(worker) { round in
        await Task.yield()
        await scene.sleep(Scene.pause(worker, round))
      }
    }
  }

  @MainActor
  private static func eachWorker(_ start: @MainActor (Int) -> Void) {
    for worker in 0..<Scene.workerCount { start(worker) }
  }

  /// Runs an action the given number of seconds after the beginning.
  private static func at(_ second: Int, _ scene: Scene, _ action: @escaping @Sendable () -> Void) {
    let delay = second * 1_000 - scene.milliseconds
    scene.scheduler.schedule(after: scene.scheduler.now.advanced(by: .milliseconds(delay)), action)
  }

  /// Calls from functions that stay on their caller's executor to functions that do not, and back.
  nonisolated(nonsending)
    private static func inTurn(_ scene: Scene, _ worker: Int, depth: Int) async
  {
    guard depth > 0 else { return await scene.work(worker) { await scene.sleep(Scene.pause(worker, $0)) } }
    await inTurnElsewhere(scene, worker, depth: depth - 1)
  }

  @concurrent
  private static func inTurnElsewhere(_ scene: Scene, _ worker: Int, depth: Int) async {
    await inTurn(scene, worker, depth: depth)
  }
}

/// An actor whose workers sleep inside it.
private actor House {
  private let scene: Scene

  init(_ scene: Scene) { self.scene = scene }

  func work(_ worker: Int) async {
    await scene.work(worker) { try? await scene.scheduler.sleep(for: .seconds(Scene.pause(worker, $0))) }
  }
}

/// An actor whose executor belongs to the timeline.
private actor Office {
  private let scene: Scene
  private let executor: VirtualSerialExecutor
  private let archive: Archive

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ scene: Scene) {
    self.scene = scene
    executor = scene.scheduler.makeSerialExecutor()
    archive = Archive(scene.scheduler.makeSerialExecutor())
  }

  func work(_ worker: Int) async {
    await scene.work(worker) { try? await scene.scheduler.sleep(for: .seconds(Scene.pause(worker, $0))) }
  }

  /// For tasks that do not belong to the timeline: everything that they call has to.
  func wake(_ worker: Int, _ round: Int) async {
    scene.note(.woken, worker, round)
    scene.note(.counted, worker, await archive.add(worker))
    scene.note(.computed, worker, await scene.double(worker))
    if round == Scene.rounds - 1 { scene.note(.ended, worker) }
  }
}

/// A counter whose executor belongs to the timeline.
private actor Archive {
  private let executor: VirtualSerialExecutor
  private var sum = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: VirtualSerialExecutor) { self.executor = executor }

  func add(_ number: Int) -> Int {
    sum = (sum &* 31 &+ number) % 1_000_003
    return sum
  }
}

/// A model of the main actor, as apps have.
@MainActor
private final class Model {
  private let scene: Scene

  init(_ scene: Scene) { self.scene = scene }

  func start(_ worker: Int) {
    Task { await work(worker) }
  }

  func work(_ worker: Int) async {
    await scene.work(worker) {
      MainActor.assertIsolated()
      try? await scene.scheduler.sleep(for: .seconds(Scene.pause(worker, $0)))
      MainActor.assertIsolated()
    }
  }
}
