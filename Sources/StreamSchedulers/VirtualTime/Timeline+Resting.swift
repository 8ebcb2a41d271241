internal import Streams
internal import Synchronization

// Tasks that do not belong to a timeline run whenever they are given a thread. A call that moves time on and is awaited
// therefore stops at each date, and lets them come to rest there before it goes on.

/// A call that moves time on and is awaited, by somebody who does not belong to the timeline.
struct AwaitedMove {
  let budget: TimelineBudget

  /// Later calls have greater numbers.
  let number: Int

  /// Where the counts of the timeline were when it began.
  let runCountAtStart: Int

  /// How many sleepers have been found not to come back.
  var missingSleepers = 0

  /// Whether an actor has been found to be held by somebody who does not let go of it.
  var isActorHeld = false
}

extension AwaitedMove {
  /// How many rounds without news it takes until tasks are taken to be at rest.
  ///
  /// In each round, what waits for the caller's actor goes on six times in a row, and what waits for the main actor and for
  /// the threads of the process has been taken up.
  static let quietRounds = 20

  /// How many more rounds are waited for a sleeper that has been woken and does not come back, or for an actor.
  static let patience = 100

  /// How many calls that begin meanwhile are waited for.
  static let laterMoves = 1_000
}

/// What can be seen of the tasks around a timeline.
private struct News {
  /// Differs from an earlier one if something has been armed, run or cancelled since.
  var count: Int

  /// How many tasks are about to sleep, or have been woken and have not come back yet.
  var wakingSleepers: Int

  /// Whether somebody moves time on who has begun later.
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

  /// The first date until another; if nothing is left to run until then, time is moved there at once.
  private func nextDate(movingTo target: Int) -> Int? {
    withLock { agenda, table in
      if let date = agenda.first(&table)?.date, !(target < date) { return date }
      agenda.move(to: target)
      return nil
    }
  }

  /// Runs what is due up to a date; all that is run for one move shares its budget.
  func run(through date: Int, for move: AwaitedMove) -> TimelineExcess? {
    run(through: date, within: move.budget, since: move.runCountAtStart)
  }

  // MARK: Rest

  /// Lets all tasks do what they can at the present moment, and runs what they schedule for it.
  ///
  /// A task of the caller's actor goes on as soon as it can, because the caller lets go of the actor again and again. Of tasks
  /// elsewhere only the traces on the timeline can be seen, so that there have to be none for some time.
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

  /// Runs what tasks have scheduled for the present moment.
  private func runDue(for move: AwaitedMove) -> TimelineExcess? {
    let date = withLock { agenda, table in agenda.first(&table).flatMap { agenda.now < $0.date ? nil : agenda.now } }
    return date.flatMap { run(through: $0, for: move) }
  }

  /// What has been armed and cancelled at one moment, if it is more than the budget allows.
  private func unrest(for move: AwaitedMove, armed: Int, cancelled: Int) -> TimelineExcess? {
    withLock { agenda, table in
      let (armed, cancelled) = (table.nextSequence - armed, table.cancelCount - cancelled)
      // A budget is one of actions that are run. Where it is set low, many may be armed or cancelled all the same.
      let (mostArmed, mostCancelled) = (max(move.budget.actions, 1_000_000), max(move.budget.actionsPerInstant, 10_000))
      guard armed >= mostArmed || cancelled >= mostCancelled else { return nil }
      agenda.beginCall(since: move.runCountAtStart)
      defer { agenda.endCall(at: nil) }
      return agenda.takeExcess(.unrest(armed: armed, cancelled: cancelled))
    }
  }
}

/// A turn that comes after everything that waits now: for the caller's actor, for the main actor, and for the threads of the
/// process.
private final class Turn: Sendable {
  /// The priorities that tasks have; each has threads of its own.
  private static let priorities: [TaskPriority] = [.background, .low, .medium, .high]

  /// How many actors, and how many kinds of threads, have not got round to it yet.
  private let actors: Atomic<Int>
  private let threads = Atomic(Turn.priorities.count)

  private init(actors count: Int) { actors = Atomic(count) }

  private var hasComeOnActors: Bool { actors.load(ordering: .acquiring) <= 0 }
  private func comeOnActor() { actors.wrappingSubtract(1, ordering: .releasing) }

  /// Returns whether it was the last kind.
  private func comeOnThread() -> Bool {
    threads.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Suspends the caller until its turn comes; returns whether all actors have got round to it. They are not waited for as
  /// long as they like, because they may be waiting for the caller.
  static func pass(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    // Whoever runs on another timeline has to stay there.
    guard DrivingThread.existing?.jobTimeline == nil else { return true }
    let isOnMain = isolation === MainActor.shared
    let turn = Turn(actors: isolation == nil || isOnMain ? 1 : 2)
    // Nobody waits for the tasks themselves, which would raise their priorities: what has a low one comes last.
    Task(priority: .background) { @MainActor in turn.comeOnActor() }
    if isolation != nil, !isOnMain {
      Task(priority: .background) {
        // A task belongs to the actor that it captures.
        _ = isolation
        turn.comeOnActor()
      }
    }
    await withUnsafeContinuation { continuation in
      for priority in priorities {
        Task.detached(priority: priority) {
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
