import ArgumentParser
import StreamsWorkloads
import Workloads

/// Checks that a test can have very many tasks.
struct Sleepers: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the real time of tasks that sleep once in virtual time.")

  @Option(help: "The number of tasks.")
  var tasks = 100_000

  @Option(help: "The number of runs; the best one counts.")
  var runs = 5

  func run() throws {
    var table = Table(header: ["Tasks that sleep once", "tasks", "seconds", "nanoseconds per task"])
    for workload in [GrowingWorkload.sleepingTasks, .sleepingTasksWorld] {
      let durations = try (0..<max(runs, 1)).map { _ in
        let clock = ContinuousClock()
        let start = clock.now
        guard StreamsWorkloads.growing(workload, tasks) == tasks else { throw Failure("Some tasks have not woken.") }
        return clock.now - start
      }
      let best = durations.min()!
      table.rows.append([
        workload.rawValue, tasks.grouped, (best / .seconds(1)).formatted(digits: 2),
        (best / .nanoseconds(1) / Double(max(tasks, 1))).grouped,
      ])
    }
    print(table.plain)
  }
}
