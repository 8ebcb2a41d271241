import Dispatch
import StreamTesting
import Testing

/// A scenario with a bug that only some orders show.
struct PlantedBug: Sendable, CustomTestStringConvertible {
  let name: String

  /// The number of ordering constraints that are sufficient for the bug.
  let depth: Int

  let taskCount: Int

  var testDescription: String { name }

  /// Makes a run, and returns whether the bug showed.
  let fails: @Sendable @MainActor (RunOrder) -> Bool

  /// A bug of tasks that share a memory, each step of which is a turn of its task.
  private init(_ name: String, depth: Int, tasks: [Work]) {
    self.name = name
    self.depth = depth
    taskCount = tasks.count
    fails = { order in
      let scheduler = DispatchQueue.test(order: order)
      let memory = Memory()
      scheduler.withVirtualWorld {
        for task in tasks { Task.detached { await task(memory) } }
        scheduler.run()
      }
      return memory.hasFailed
    }
  }

  private typealias Work = @Sendable (Memory) async -> Void

  /// Depth 1: the user is ready long after the owner in the usual order, and uses what the owner has not made yet.
  static let late = PlantedBug(
    "used before it is made", depth: 1,
    tasks: [
      { memory in
        await steps(4)
        memory.a = 1
      },
      { memory in
        await steps(12)
        if memory.a == 0 { memory.hasFailed = true }
      },
      { _ in await steps(8) },
    ])

  /// Depth 1, with more tasks: the last to be ready has to be the first of all.
  static let early = PlantedBug(
    "the last one first", depth: 1,
    tasks: (0..<7).map { _ -> Work in
      { memory in
        await steps(3)
        memory.a += 1
      }
    } + [
      { memory in
        await steps(6)
        if memory.a == 0 { memory.hasFailed = true }
      }
    ])

  /// Depth 2: a value is checked, and changed by another task before it is used.
  static let lost = PlantedBug(
    "check, then act", depth: 2,
    tasks: [
      { memory in
        await steps(10)
        let seen = memory.a
        await steps(1)
        if seen != memory.a { memory.hasFailed = true }
      },
      { memory in
        await steps(2)
        memory.a += 1
      },
      { _ in await steps(10) },
      { _ in await steps(10) },
    ])

  /// Depth 2: two tasks have the same gap between check and use, far apart in the usual order.
  static let reset = PlantedBug(
    "two withdrawals", depth: 2,
    tasks: [2, 14].map { delay -> Work in
      { memory in
        await steps(delay)
        guard memory.a == 0 else { return }
        await steps(1)
        memory.a += 1
        if memory.a == 2 { memory.hasFailed = true }
      }
    } + (0..<3).map { _ -> Work in { _ in await steps(6) } })

  /// Depth 3: a reader checks, another task begins a change of two parts, and the reader reads between the parts.
  static let torn = PlantedBug(
    "half a change", depth: 3,
    tasks: [
      { memory in
        await steps(3)
        let first = memory.a
        await steps(1)
        if first == 0, memory.a != memory.b { memory.hasFailed = true }
      },
      { memory in
        await steps(8)
        memory.a = 1
        await steps(1)
        memory.b = 1
      },
      { _ in await steps(6) },
      { _ in await steps(6) },
    ])

  /// Depth 4: another task has to change a value in one gap, and to change it back in the next.
  static let swapped = PlantedBug(
    "changed and changed back", depth: 4,
    tasks: [
      { memory in
        await steps(2)
        let first = memory.a
        await steps(1)
        let second = memory.a
        await steps(1)
        if first == 0, second == 1, memory.a == 0 { memory.hasFailed = true }
      },
      { memory in
        await steps(3)
        memory.a = 1
        await steps(3)
        memory.a = 0
      },
      { _ in await steps(3) },
    ])

  /// Depth 6: two tasks have to alternate.
  static let alternating = PlantedBug(
    "strictly alternating", depth: 6,
    tasks: (0..<2).map { number -> Work in
      { memory in
        for _ in 0..<6 {
          memory.log.append(number)
          await steps(1)
        }
        if memory.log.prefix(6) == [0, 1, 1, 0, 0, 1] { memory.hasFailed = true }
      }
    })
}

private func steps(_ count: Int) async {
  for _ in 0..<count { await Task.yield() }
}

/// What the tasks of a scenario share.
final class Memory: @unchecked Sendable {
  // `Sendable` is unchecked because the tasks run one after the other, on the thread that advances time.
  var a = 0
  var b = 0
  var log: [Int] = []
  var hasFailed = false
}
