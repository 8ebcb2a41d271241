internal import Streams

/// Reports each kind of use of an object that must not be used, once.
///
/// A model that uses a scheduler reads its time again and again. Repeated reports wouldn't help.
final class ReportedUses: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` is not marked: the lock protects the set.
  private let uses = Locked<Set<String>>([])
  private let name: String
  private let location: CodeLocation

  /// Creates the reports for a named object that was created at a location. Messages begin with the name.
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
