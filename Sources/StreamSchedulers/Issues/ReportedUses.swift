internal import Streams

/// Reports what something is used for that should not be used at all, each kind of use once.
///
/// A model that uses a scheduler at all asks it for the time again and again, so more would say no more.
final class ReportedUses: @unchecked Sendable {
  // `Sendable` is unchecked because `Locked` says nothing of it: the lock protects the set.
  private let uses = Locked<Set<String>>([])
  private let name: String
  private let place: SourcePlace

  /// Makes one for something with a name, as a message begins with it, that was made at a place.
  init(of name: String, _ place: SourcePlace) {
    self.name = name
    self.place = place
  }

  /// Reports a use, unless it was reported before.
  func report(_ use: String) {
    guard uses.withLock({ $0.insert(use).inserted }) else { return }
    place.report("\(name): \(use).")
  }
}
