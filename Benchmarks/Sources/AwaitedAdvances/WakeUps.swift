import Synchronization

/// The number of times that a task has woken.
final class WakeUps: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .acquiring) }

  func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
