public import Synchronization

/// Indicates whether a thread delivers for an engine; that thread is the engine's *performer*.
///
/// A delivery begins under the engine's lock. A performer that has delivered an element straight downstream ends
/// without the lock if no transition was made meanwhile, which saves a second locked section for each element. A
/// transition therefore *disturbs* the performer first: from then on the performer can end only under the lock, so its
/// state cannot change until the transition is done.
@usableFromInline @frozen
struct Performer: ~Copyable {
  @usableFromInline let word = Atomic<UInt8>(0)

  @inlinable static var idle: UInt8 { 0 }
  /// A thread delivers an element straight downstream, and no transition has been made since that began.
  @inlinable static var undisturbed: UInt8 { 1 }
  @inlinable static var disturbed: UInt8 { 2 }

  @inlinable
  init() {}

  // Called under the lock. A thread that sees that a delivery has ended also sees its effects.

  /// Indicates whether a thread is delivering. Unless it has been disturbed, it may end at any time.
  @inlinable @inline(__always)
  var isAtWork: Bool { word.load(ordering: .acquiring) != Self.idle }

  /// Makes the caller the performer of an element that goes straight downstream. There must be no performer.
  @inlinable @inline(__always)
  func begin() { word.store(Self.undisturbed, ordering: .relaxed) }

  /// Makes the current performer take the lock when it ends.
  func disturb() {
    _ = word.compareExchange(
      expected: Self.undisturbed, desired: Self.disturbed, successOrdering: .acquiring, failureOrdering: .acquiring)
  }

  /// Makes the caller the performer, unless there is one.
  @inline(__always)
  func take() -> Bool {
    if isAtWork { return false }
    word.store(Self.disturbed, ordering: .relaxed)
    return true
  }

  /// Ends the caller's role as the performer.
  @inlinable @inline(__always)
  func end() { word.store(Self.idle, ordering: .releasing) }

  // Called without the lock.

  /// Ends the caller's role as the performer, unless a transition has been made meanwhile, which may have left it
  /// something to deliver. Returns whether the role has ended.
  @inlinable @inline(__always)
  func endUndisturbed() -> Bool {
    word.compareExchange(
      expected: Self.undisturbed, desired: Self.idle, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged
  }
}
