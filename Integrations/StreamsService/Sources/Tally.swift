internal import Synchronization

/// The values that a subject has accepted and that haven't been delivered.
final class Tally: Sendable {
  private let count = Atomic(0)
  private let late = Atomic(false)

  /// The number of values.
  var inside: Int { max(0, count.load(ordering: .relaxed)) }

  /// Indicates whether the time for delivering them has elapsed.
  var isLate: Bool {
    get { late.load(ordering: .relaxed) }
    set { late.store(newValue, ordering: .relaxed) }
  }

  func accept() { count.wrappingAdd(1, ordering: .relaxed) }

  func deliver() { count.wrappingSubtract(1, ordering: .relaxed) }
}
