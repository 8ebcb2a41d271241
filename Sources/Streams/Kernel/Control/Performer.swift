public import Synchronization

/// Whether somebody delivers for an engine: its *performer*.
///
/// It begins under the lock of the engine. One that has delivered an element that goes straight downstream ends without it, if
/// nobody has made a transition meanwhile, which would have been a second locked section for each element. So a transition
/// *disturbs* the performer first: from then on it can only end under the lock, and until the transition is done nothing about
/// it changes.
@usableFromInline @frozen
struct Performer: ~Copyable {
  @usableFromInline let word = Atomic<UInt8>(0)

  @inlinable static var idle: UInt8 { 0 }
  /// Delivers an element that goes straight downstream, and nobody has made a transition since that began.
  @inlinable static var undisturbed: UInt8 { 1 }
  @inlinable static var disturbed: UInt8 { 2 }

  @inlinable
  init() {}

  // Under the lock. What was done in a delivery is seen by whoever finds that it has ended.

  /// Whether somebody delivers; unless that was disturbed, it may end at any time.
  @inlinable @inline(__always)
  var isAtWork: Bool { word.load(ordering: .acquiring) != Self.idle }

  /// Makes the caller the performer of an element, or the last one, that goes straight downstream; nobody is.
  @inlinable @inline(__always)
  func begin(isLast: Bool = false) { word.store(isLast ? Self.disturbed : Self.undisturbed, ordering: .relaxed) }

  /// Has whoever delivers come back to the lock in the end.
  func disturb() {
    _ = word.compareExchange(
      expected: Self.undisturbed, desired: Self.disturbed, successOrdering: .acquiring, failureOrdering: .acquiring)
  }

  /// Makes the caller the performer, unless somebody is.
  @inline(__always)
  func take() -> Bool {
    if isAtWork { return false }
    word.store(Self.disturbed, ordering: .relaxed)
    return true
  }

  /// The caller is not the performer any more.
  @inlinable @inline(__always)
  func end() { word.store(Self.idle, ordering: .releasing) }

  // Without the lock.

  /// The caller is not the performer any more, unless a transition has been made meanwhile, which may have left it something.
  @inlinable @inline(__always)
  func endUndisturbed() -> Bool {
    word.compareExchange(
      expected: Self.undisturbed, desired: Self.idle, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }
}
