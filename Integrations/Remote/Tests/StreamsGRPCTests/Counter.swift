import Synchronization

/// A number that tasks and streams change.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func increment(by amount: Int = 1) { count.add(amount, ordering: .sequentiallyConsistent) }
}
