import Dispatch
import StreamSchedulers
import StreamTesting
import Streams
import Workloads

// Workloads with tasks that sleep on a test scheduler: first tasks that are started on the scheduler, then plain ones
// in a virtual world (where unmodified tasks run in virtual time).

extension StreamsWorkloads {
  static func wakeTask(_ count: Int) -> Int {
    let sum = Sum()
    let scheduler = DispatchQueue.test
    let tasks = (0..<100).map { number in
      Task(on: scheduler) {
        try await scheduler.sleep(for: .milliseconds(number + 1))
        while true {
          sum.add(1)
          try await scheduler.sleep(for: .milliseconds(100))
        }
      }
    }
    scheduler.advance()
    for _ in 0..<count { scheduler.advance(by: .milliseconds(1)) }
    for task in tasks { task.cancel() }
    scheduler.advance()
    return sum.value
  }

  /// The main thread runs the workloads.
  static func wakeTaskInWorld(_ count: Int) -> Int {
    MainActor.assumeIsolated {
      let sum = Sum()
      let scheduler = DispatchQueue.test
      scheduler.withVirtualWorld {
        let tasks = (0..<100).map { number in
          Task {
            try await scheduler.sleep(for: .milliseconds(number + 1))
            while true {
              sum.add(1)
              try await scheduler.sleep(for: .milliseconds(100))
            }
          }
        }
        scheduler.advance()
        for _ in 0..<count { scheduler.advance(by: .milliseconds(1)) }
        for task in tasks { task.cancel() }
        scheduler.advance()
      }
      return sum.value
    }
  }

  static func sleepingTasks(_ count: Int) -> Int {
    let sum = Sum()
    let scheduler = unlimitedScheduler()
    for number in 0..<count {
      Task(on: scheduler) {
        try await scheduler.sleep(for: .milliseconds(1 + scattered(number, count)))
        sum.add(1)
      }
    }
    scheduler.run()
    return sum.value
  }

  static func sleepingTasksInWorld(_ count: Int) -> Int {
    MainActor.assumeIsolated {
      let sum = Sum()
      let scheduler = unlimitedScheduler()
      scheduler.withVirtualWorld {
        for number in 0..<count {
          Task {
            try await scheduler.sleep(for: .milliseconds(1 + scattered(number, count)))
            sum.add(1)
          }
        }
        scheduler.run()
      }
      return sum.value
    }
  }

  private static func unlimitedScheduler() -> TestSchedulerOf<DispatchQueue> {
    let scheduler = DispatchQueue.test
    scheduler.maximumActions = .max
    scheduler.maximumActionsPerInstant = .max
    return scheduler
  }
}
