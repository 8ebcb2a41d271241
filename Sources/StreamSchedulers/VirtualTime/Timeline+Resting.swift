internal import Streams
internal import Synchronization

// Tasks outside a timeline run whenever they get a thread. An awaited advance therefore stops at each date and lets
// them come to rest before it continues.

/// An awaited advance that was called from outside the timeline.
struct AwaitedMove {
  let budget: TimelineBudget

  /// The number of the advance, which is greater for later ones.
  let number: Int

  /// The number of actions the timeline had run when the advance began.
  let runCountAtStart: Int

  /// The number of woken sleepers that the advance no longer waits for, because they haven't returned in time.
  var missingSleepers = 0

  /// Indicates whether an actor has been busy for so long that the advance no longer waits for it.
  var isActorHeld = false

  /// Indicates whether an attempt to hold all threads of the global executor has failed.
  var cannotPause = false
}

extension AwaitedMove {
  /// The number of rounds without news after which tasks are considered to be at rest.
  ///
  /// In each round, jobs of the caller's actor get six turns in a row, and jobs that wait for the main actor and for
  /// the global executor's threads get a turn.
  static let quietRounds = 20

  /// The number of further rounds to wait for a woken sleeper that doesn't return, or for a busy actor.
  static let patience = 100

  /// The number of rounds without news between two pauses of the global executor.
  ///
  /// Some rounds follow the last pause, so that the effects of the jobs before it are noticed.
  static let roundsPerPause = 8

  /// The number of later advances to wait for.
  static let laterMoves = 1_000
}

/// The observable state of the tasks around a timeline.
private struct News {
  /// A counter that changes whenever something is armed, run or cancelled.
  var count: Int

  /// The number of tasks that are about to sleep, or have been woken but haven't returned yet.
  var wakingSleepers: Int

  /// Indicates whether an advance that began later is in progress.
  var isMovedByLater: Bool
}

extension Timeline {
  nonisolated(nonsending)
    func moveOn(to target: Int, within budget: TimelineBudget) async -> TimelineExcess?
  {
    var move = beginMove(within: budget)
    defer { endMove(move) }
    while true {
      if let excess = await rest(&move) { return excess }
      guard let date = nextDate(movingTo: target) else { return nil }
      if let excess = run(through: date, for: move) { return excess }
    }
  }

  func beginMove(within budget: TimelineBudget) -> AwaitedMove {
    withLock { agenda, _ in
      agenda.moveCount &+= 1
      agenda.moves.append(agenda.moveCount)
      return AwaitedMove(budget: budget, number: agenda.moveCount, runCountAtStart: agenda.runCount)
    }
  }

  func endMove(_ move: AwaitedMove) {
    withLock { agenda, _ in agenda.moves.removeAll { $0 == move.number } }
  }

  /// Returns the date of the first action up to a target. If there's none, moves time to the target and returns `nil`.
  private func nextDate(movingTo target: Int) -> Int? {
    withLock { agenda, table in
      if let date = agenda.first(&table)?.date, !(target < date) { return date }
      agenda.move(to: target)
      return nil
    }
  }

  /// Runs the actions that are due up to a date. All actions of one advance share its budget.
  func run(through date: Int, for move: AwaitedMove) -> TimelineExcess? {
    run(through: date, within: move.budget, since: move.runCountAtStart)
  }

  // MARK: Rest

  /// Lets all tasks do what they can at the current date, and runs the actions that they schedule for that date.
  ///
  /// A task of the caller's actor continues as soon as it can, because the caller yields the actor repeatedly. Tasks elsewhere
  /// are visible only through their effects on the timeline, so the method waits until there have been no such effects for some
  /// time.
  nonisolated(nonsending)
    func rest(_ move: inout AwaitedMove) async -> TimelineExcess?
  {
    let start = withLock { agenda, table in
      (armed: table.nextSequence, cancelled: table.cancelCount, moves: agenda.moveCount)
    }
    var known = -1
    var (quietRounds, otherRounds) = (0, 0)
    while quietRounds < AwaitedMove.quietRounds {
      if let excess = runDue(for: move) { return excess }
      for _ in 0..<4 { await Task.yield() }
      var news = news(for: move, since: start.moves)
      var isComplete = true
      if news.count == known {
        isComplete = await Turn.pass()
        if (quietRounds + 1).isMultiple(of: AwaitedMove.roundsPerPause), !move.cannotPause {
          move.cannotPause = await !GlobalExecutorPause.begin()
        }
        news = self.news(for: move, since: start.moves)
      }
      guard news.count == known, !news.isMovedByLater else {
        if let excess = unrest(for: move, armed: start.armed, cancelled: start.cancelled) { return excess }
        known = news.count
        (quietRounds, otherRounds) = (0, 0)
        continue
      }
      move.missingSleepers = min(move.missingSleepers, news.wakingSleepers)
      if isComplete { move.isActorHeld = false }
      if news.wakingSleepers == move.missingSleepers, isComplete || move.isActorHeld {
        quietRounds += 1
      } else {
        quietRounds = 0
        otherRounds += 1
        guard otherRounds == AwaitedMove.patience else { continue }
        move.missingSleepers = news.wakingSleepers
        move.isActorHeld = !isComplete
      }
    }
    return nil
  }

  private func news(for move: AwaitedMove, since moveCountAtStart: Int) -> News {
    let sleepers = sleeperCount.load(ordering: .acquiring)
    return withLock { agenda, table in
      News(
        count: agenda.runCount &+ table.nextSequence &+ table.cancelCount,
        wakingSleepers: max(0, sleepers - table.sleepCount),
        isMovedByLater: agenda.moveCount - moveCountAtStart < AwaitedMove.laterMoves
          && agenda.moves.contains { $0 > move.number })
    }
  }

  /// Runs the actions that tasks have scheduled for the current date.
  private func runDue(for move: AwaitedMove) -> TimelineExcess? {
    let date = withLock { agenda, table in agenda.first(&table).flatMap { agenda.now < $0.date ? nil : agenda.now } }
    return date.flatMap { run(through: $0, for: move) }
  }

  /// Returns the numbers of actions armed and cancelled at one date, if either exceeds its limit.
  private func unrest(for move: AwaitedMove, armed: Int, cancelled: Int) -> TimelineExcess? {
    withLock { agenda, table in
      let (armed, cancelled) = (table.nextSequence - armed, table.cancelCount - cancelled)
      // A budget limits the actions that run. Even if it's low, many actions may be armed or cancelled.
      let (mostArmed, mostCancelled) = (max(move.budget.actions, 1_000_000), max(move.budget.actionsPerInstant, 10_000))
      guard armed >= mostArmed || cancelled >= mostCancelled else { return nil }
      agenda.beginCall(since: move.runCountAtStart)
      defer { agenda.endCall(at: nil) }
      return agenda.takeExcess(.unrest(armed: armed, cancelled: cancelled))
    }
  }
}

extension TaskPriority {
  /// The task priorities that have their own threads.
  static let withThreads: [TaskPriority] = [.background, .low, .medium, .high]
}

/// A turn that comes after everything that currently waits for the caller's actor, the main actor and the global executor's
/// threads.
private final class Turn: Sendable {
  /// The numbers of actors, and of kinds of threads, that haven't reached the turn yet.
  private let actors: Atomic<Int>
  private let threads = Atomic(TaskPriority.withThreads.count)

  private init(actors count: Int) { actors = Atomic(count) }

  private var hasComeOnActors: Bool { actors.load(ordering: .acquiring) <= 0 }
  private func comeOnActor() { actors.wrappingSubtract(1, ordering: .releasing) }

  /// Notes that a kind of thread has reached the turn, and returns whether it was the last.
  private func comeOnThread() -> Bool {
    threads.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Suspends the caller until its turn comes, and returns whether all actors have reached it. The wait for actors is
  /// bounded, because they may be waiting for the caller.
  static func pass(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    // A caller that runs on another timeline has to stay there.
    guard DrivingThread.existing?.jobTimeline == nil else { return true }
    let isOnMain = isolation === MainActor.shared
    let turn = Turn(actors: isolation == nil || isOnMain ? 1 : 2)
    let name = NamedTask.name("TestScheduler.advance")
    // The tasks aren't awaited, because that would raise their priority. Low-priority work comes last.
    Task(name: name, priority: .background) { @MainActor in turn.comeOnActor() }
    if isolation != nil, !isOnMain {
      Task(name: name, priority: .background) {
        // A task is isolated to the actor that it captures.
        _ = isolation
        turn.comeOnActor()
      }
    }
    await withUnsafeContinuation { continuation in
      for priority in TaskPriority.withThreads {
        Task.detached(name: name, priority: priority) {
          await Task.yield()
          guard turn.comeOnThread() else { return }
          for _ in 0..<100 where !turn.hasComeOnActors { await Task.yield() }
          continuation.resume()
        }
      }
    }
    return turn.hasComeOnActors
  }
}
