import Synchronization

/// A number that tasks and streams change.
package final class Counter: Sendable {
  private let count = Atomic(0)

  package init() {}

  package var value: Int { count.load(ordering: .sequentiallyConsistent) }

  package func increment(by amount: Int = 1) { count.add(amount, ordering: .sequentiallyConsistent) }
}
