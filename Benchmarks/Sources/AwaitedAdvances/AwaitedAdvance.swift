import Dispatch
import StreamSchedulers
import Streams

// This file is compiled twice, in Swift 6 mode and in Swift 5 mode: the other module contains a symbolic link to it.

/// A test that awaits an advance of virtual time, with tasks that do not belong to the timeline: counts how often their
/// work is missed.
package enum AwaitedAdvance: String, CaseIterable, Sendable {
  case callersActor = "task of the caller's actor"
  case callersActorFiveSleeps = "task of the caller's actor, five sleeps"
  case anyClock = "task of the caller's actor, any Clock"
  case anyClockElsewhere = "the same, by the function of the standard library"
  case elsewhere = "task elsewhere"
  case elsewhereFiveSleeps = "task elsewhere, five sleeps"

  /// The method by which time is advanced.
  package enum Mover: Sendable {
    /// The scheduler's awaited advance.
    case advance

    /// Before each deadline and after the last, awaits a detached low-priority task that yields, twenty times. This is
    /// what swift-clocks documents; it is not swift-clocks itself.
    case twentyYields
  }

  /// Indicates whether no task may be missed, however busy the computer is.
  package var isOfCallersActor: Bool {
    switch self {
    case .callersActor, .callersActorFiveSleeps, .anyClock: true
    case .anyClockElsewhere, .elsewhere, .elsewhereFiveSleeps: false
    }
  }

  package var sleeps: Int {
    switch self {
    case .callersActorFiveSleeps, .elsewhereFiveSleeps: 5
    default: 1
    }
  }

  /// Starts a task, advances time, and checks whether the task has done all its work. Returns how often it has not.
  @MainActor
  package func missed(rounds: Int, by mover: Mover) async -> Int {
    var missed = 0
    for _ in 0..<rounds {
      let scheduler = DispatchQueue.test
      let count = WakeUps()
      let task = start(scheduler, count)
      await mover.advance(scheduler, seconds: sleeps)
      if count.value != sleeps { missed += 1 }
      task.cancel()
    }
    return missed
  }

  @MainActor
  private func start(_ scheduler: TestSchedulerOf<DispatchQueue>, _ count: WakeUps) -> Task<Void, any Error> {
    let clock = scheduler.clock
    let anyClock: any Clock<Duration> = clock
    switch self {
    case .callersActor, .callersActorFiveSleeps:
      let sleeps = sleeps
      return Task { @MainActor in
        for _ in 0..<sleeps {
          try await clock.sleep(for: .seconds(1))
          count.add()
        }
      }
    case .anyClock:
      return Task { @MainActor in
        try await anyClock.sleep(for: .seconds(1))
        count.add()
      }
    case .anyClockElsewhere:
      return Task { @MainActor in
        try await sleepASecond(on: anyClock)
        count.add()
      }
    case .elsewhere, .elsewhereFiveSleeps:
      let sleeps = sleeps
      return Task.detached {
        for _ in 0..<sleeps {
          try await clock.sleep(for: .seconds(1))
          count.add()
        }
      }
    }
  }
}

extension AwaitedAdvance.Mover {
  @MainActor
  fileprivate func advance(_ scheduler: TestSchedulerOf<DispatchQueue>, seconds: Int) async {
    switch self {
    case .advance: await scheduler.advance(by: .seconds(seconds))
    case .twentyYields:
      let target = scheduler.now.advanced(by: .seconds(seconds))
      await yieldTwentyTimes()
      while let date = scheduler.nextDate, date <= target {
        moveOn(scheduler, to: date)
        await yieldTwentyTimes()
      }
      moveOn(scheduler, to: target)
    }
  }

  private func yieldTwentyTimes() async {
    for _ in 0..<20 { await Task.detached(priority: .background) { await Task.yield() }.value }
  }

  private func moveOn(_ scheduler: TestSchedulerOf<DispatchQueue>, to date: DispatchQueue.SchedulerTimeType) {
    scheduler.advance(to: date)
  }
}
