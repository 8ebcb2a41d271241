public import Synchronization

/// The role of the thread that drains: it delivers its own signal, and those that other threads leave meanwhile, so
/// that signals never overlap and no thread waits. At most one thread holds it.
///
/// The role belongs to a state that a lock protects. What takes a ``LockKey`` is called under that lock:
///
/// | a thread | calls | what follows |
/// | --- | --- | --- |
/// | with a signal to deliver at once | ``claimIfFree(_:)`` | delivers; ends with ``endUndisturbed()``, without the lock |
/// | with something to drain | ``claimIfFree(_:)`` | drains with ``drain(_:_:)``; ends with ``end(_:)`` |
/// | that leaves something, or makes a transition | ``disturb(_:)`` | the holder looks again: it can end only under the lock |
/// | that does either | ``claimOrDisturb(_:)`` | drains, or has left it to the holder |
/// | that drains for longer than a ``Burst`` | offers the role | continues, unless another thread has taken it over |
/// | that finds the role on offer | ``Handover/takeOver()`` | drains, as the holder |
///
/// Who has disturbed the holder knows that the role stays held until the lock is released. Who has not been disturbed
/// ends without a second locked section, which saves half of what a delivery costs.
@usableFromInline @frozen
struct DrainRole: ~Copyable {
  @usableFromInline let word: Atomic<UInt8>

  // Transparent, because unoptimized code would call functions for them.
  @inlinable @_transparent static var free: UInt8 { 0 }
  /// Held by a thread that nothing has been left to.
  @inlinable @_transparent static var held: UInt8 { 1 }
  @inlinable @_transparent static var disturbed: UInt8 { 2 }

  /// Creates a role that is free, or held by the caller.
  @inlinable
  init(isHeld: Bool = false) { word = Atomic(isHeld ? Self.held : Self.free) }

  /// Indicates whether a thread holds the role. Unless it has been disturbed, it may end at any time. A thread that
  /// sees that the role is free also sees what its last holder did.
  @inlinable @inline(__always)
  func isHeld(_ key: borrowing LockKey) -> Bool { word.load(ordering: .acquiring) != Self.free }

  /// Makes the caller the holder. The role must be free.
  @inlinable @inline(__always)
  func claim(_ key: borrowing LockKey) { word.store(Self.held, ordering: .relaxed) }

  /// Makes the caller the holder if the role is free.
  @inlinable @inline(__always)
  func claimIfFree(_ key: borrowing LockKey) -> Bool {
    if word.load(ordering: .acquiring) != Self.free { return false }
    word.store(Self.held, ordering: .relaxed)
    return true
  }

  /// Makes the holder look again, and returns whether there is one.
  @inlinable @inline(__always) @discardableResult
  func disturb(_ key: borrowing LockKey) -> Bool {
    // Only a thread that holds the lock makes a free role a held one.
    isHeld(key)
      && word.compareExchange(expected: Self.held, desired: Self.disturbed, ordering: .acquiring).original != Self.free
  }

  /// Makes the caller the holder if the role is free, or else makes the holder look again.
  @inlinable @inline(__always)
  func claimOrDisturb(_ key: borrowing LockKey) -> Bool {
    if disturb(key) { return false }
    word.store(Self.disturbed, ordering: .relaxed)
    return true
  }

  /// Ends the caller's role.
  @inlinable @inline(__always)
  func end(_ key: borrowing LockKey) { word.store(Self.free, ordering: .releasing) }

  /// Ends the caller's role, unless it has been disturbed. Returns whether it has ended.
  @inlinable @inline(__always)
  func endUndisturbed() -> Bool {
    word.compareExchange(expected: Self.held, desired: Self.free, ordering: .releasing).exchanged
  }

  /// Drains: repeats a step, which takes under the lock what is next, and delivers it outside, until the step returns
  /// false, because the role has ended or goes on by itself, or another thread takes the role over. A step that has
  /// offered the role delivers nothing. Called without the lock, which `withHandover` takes.
  @inlinable @inline(__always)
  static func drain(
    _ burst: consuming Burst = Burst(), _ withHandover: ((inout Handover) -> Bool) -> Bool,
    _ step: (inout Burst) -> Bool
  ) {
    while step(&burst) {
      if burst.isOnOffer, burst.isTaken(withHandover) { return }
    }
  }
}
