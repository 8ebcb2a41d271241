internal import Streams

/// The order in which tasks for values with the same key take turns.
///
/// The keys are looked up outside the lock, because hashing and comparing them runs user code. That's safe on the value path,
/// which is serial. Keys whose turns are over are removed only when there are more than 16 keys, and more than twice as many as
/// the previous removal left.
final class KeyedTurns<Key: Hashable> {
  private let lock = TurnLock()
  // Exclusive: accessed only on the value path.
  @exclusivity(unchecked) private var last: [Key: Turn] = [:]
  @exclusivity(unchecked) private var limit = 16

  func take(_ key: Key) -> Turn {
    let turn = Turn(lock)
    let before = last.updateValue(turn, forKey: key)
    lock.follow(turn, before)
    if last.count > limit { sweep() }
    return turn
  }

  /// Removes the keys whose turns are over.
  private func sweep() {
    let isOver = lock.areOver(last.values)
    for (key, isOver) in zip(Array(last.keys), isOver) where isOver { last[key] = nil }
    limit = max(16, last.count * 2)
  }
}

/// One value's turn, which links to the next turn with the same key.
// Unchecked: all state is protected by the lock.
final class Turn: @unchecked Sendable {
  // Exclusive: accessed only under the lock, which is never held while unknown code runs.
  @exclusivity(unchecked) fileprivate var next: Turn?
  /// The work that waits for the turn.
  @exclusivity(unchecked) fileprivate var start: (() -> Void)?
  @exclusivity(unchecked) fileprivate var phase = Phase.waiting
  /// The number of parts that haven't ended: the work, and attaching its subscriber.
  @exclusivity(unchecked) fileprivate var remaining = 2
  /// Indicates whether the work was cancelled before it began.
  @exclusivity(unchecked) fileprivate var isAbandoned = false
  private let lock: TurnLock

  fileprivate enum Phase {
    /// An earlier turn isn't over.
    case waiting
    /// The turn has come, but the work hasn't begun.
    case up
    case running
    /// Neither this turn nor an earlier one is still running, and no later one has been taken.
    case over
  }

  fileprivate init(_ lock: TurnLock) { self.lock = lock }

  /// Starts work when the turn comes, unless the turn has been abandoned. The work must call ``end()`` when it ends.
  func begin(_ start: @escaping () -> Void) { lock.begin(self, start) }

  /// Records that the work, or attaching its subscriber, has ended. After both, the next turn begins.
  @Sendable func end() { lock.endPart(of: self) }

  /// Records that the work is no longer needed. If the work has begun, the turn still lasts until the work ends.
  func abandon() { lock.abandon(self) }
}

/// The transitions between a turn's phases. The turns own the state, and this lock protects it. The lock's own state isn't
/// empty, because ThreadSanitizer mistakes accesses to an empty state for accesses to the object itself.
private final class TurnLock {
  private let lock = Locked<UInt8>(0)

  /// Puts a turn after the previous one, if that one isn't over.
  func follow(_ turn: Turn, _ before: Turn?) {
    lock.withLock { _ in
      if let before, before.phase != .over { before.next = turn } else { turn.phase = .up }
    }
  }

  func areOver(_ turns: some Collection<Turn>) -> [Bool] { lock.withLock { _ in turns.map { $0.phase == .over } } }

  func begin(_ turn: Turn, _ start: @escaping () -> Void) {
    let starts = lock.withLock { _ in
      if turn.isAbandoned { return false }
      guard turn.phase == .up else {
        turn.start = start
        return false
      }
      turn.phase = .running
      return true
    }
    if starts { start() }
  }

  func abandon(_ turn: Turn) {
    let (isUp, start) = lock.withLock { _ in
      if turn.phase == .running || turn.isAbandoned { return (false, (() -> Void)?.none) }
      turn.isAbandoned = true
      return (turn.phase == .up, turn.start.take())
    }
    _ = start
    if isUp { end(turn) }
  }

  func endPart(of turn: Turn) {
    let isLast = lock.withLock { _ in
      turn.remaining -= 1
      return turn.remaining == 0
    }
    if isLast { end(turn) }
  }

  private func end(_ turn: Turn) {
    // Released one by one, outside the lock.
    var passed: [Turn] = []
    let start: (() -> Void)? = lock.withLock { _ in
      var current = turn
      while let next = current.next.take() {
        passed.append(current)
        current = next
        if next.isAbandoned { continue }
        next.phase = next.start == nil ? .up : .running
        return next.start.take()
      }
      current.phase = .over
      return nil
    }
    start?()
  }
}
