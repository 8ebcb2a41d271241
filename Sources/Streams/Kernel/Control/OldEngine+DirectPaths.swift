// The direct paths, each in its locked section. `DirectPaths` states their guarantees. The closures run under the lock:
// they store elements or dequeue them, and run no user code.

extension OldEngine {
  /// Delivers an element of the slot if that may be done at once: then calls `deliver` as the drainer. Returns whether
  /// it did.
  @inlinable @inline(__always)
  func deliverDirect(from slot: OldMachine.Slot, _ deliver: (borrowing DrainRole.Holder) -> Void) -> Bool {
    guard withLock({ machine.paths.open.contains(slot) && role.claimIfFree($1) }) else { return false }
    deliver(DrainRole.Holder())
    if !role.endUndisturbed() { endDisturbed() }
    return true
  }

  /// Ends a direct delivery during which a transition was made, unless the transition has closed the path because
  /// something waits.
  @usableFromInline @inline(never)
  func endDisturbed() {
    let isDone = withLock { _, key in
      if machine.paths.isClosed { return false }
      role.end(key)
      return true
    }
    if !isDone { deliver() }
  }
}
