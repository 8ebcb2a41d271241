internal import Streams

/// A reporter for an object that must not be used. It reports each kind of use once.
///
/// Repeated reports, such as for each read of the time, wouldn't help.
final class ReportedUses: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` doesn't declare it. The lock protects the set.
  private let uses = Locked<Set<String>>([])
  private let name: String
  private let location: CodeLocation

  /// Creates a reporter for a named object that was created at a location. Messages begin with the name.
  init(of name: String, _ location: CodeLocation) {
    self.name = name
    self.location = location
  }

  /// Reports a use, unless it was reported before.
  func report(_ use: String) {
    guard uses.withLock({ $0.insert(use).inserted }) else { return }
    location.report("\(name): \(use).")
  }
}
