// The direct paths, each in its locked section. `DirectPaths` states their guarantees. The closures run under the lock:
// they store elements or dequeue them, and run no user code.

extension Engine {
  /// Makes the caller the performer if an element of the slot may be delivered at once, and returns whether it may. The
  /// caller then delivers the element and calls ``endDirect()``.
  @inlinable @inline(__always)
  func beginDirect(from slot: Int) -> Bool {
    withLock { _ in
      if role.isHeld || !machine.paths.open.contains(slot) { return false }
      role.claim()
      return true
    }
  }

  @inlinable @inline(__always)
  func endDirect() {
    if !role.endUndisturbed() { endDisturbed() }
  }

  /// Ends a direct delivery during which a transition was made, unless the transition has closed the path because
  /// something waits.
  @usableFromInline @inline(never)
  func endDisturbed() {
    let isDone = withLock { _ in
      if machine.paths.open.kind == .none { return false }
      role.end()
      return true
    }
    if !isDone { deliver() }
  }

  /// Reports an element that may complete an output together with others. `store` keeps the element, and `combine`
  /// makes the output.
  @inlinable @inline(__always)
  func combineDirect(from slot: Int, store: () -> Void, combine: () -> Void) -> DirectPaths.Combination {
    withLock { _ in
      if role.isHeld || machine.paths.open.kind == .none { return .refused }
      let reception = machine.combined(from: slot)
      if reception == .refused { return .incomplete }
      store()
      guard reception == .completes else { return .incomplete }
      combine()
      role.claim()
      return .complete
    }
  }

  /// Keeps an element for a later output with `store`, if the machine need not be asked: not when it `completes` that.
  /// Returns whether it was kept.
  @inlinable @inline(__always)
  func setAsideDirect(store: () -> Void, unless completes: () -> Bool) -> Bool {
    withLock { _ in
      if machine.paths.open.kind != .setAside || completes() { return false }
      store()
      return true
    }
  }

  /// Appends an element to the waiting ones, if the machine need not be asked. `store` keeps the element.
  @inlinable @inline(__always)
  func queueDirect(store: () -> Void) -> DirectPaths.Queueing {
    withLock { _ in
      let outcome = machine.paths.queue()
      if outcome != .refused { store() }
      return outcome
    }
  }

  /// Appends an element to the waiting ones, if the machine need not be asked. `store` keeps the element and returns
  /// the alarm of the timer to arm for it, if any. The caller must then arm the timer and call ``armed(_:_:)``.
  @inlinable @inline(__always)
  func dateDirect(store: () -> Alarm?) -> (isTaken: Bool, alarm: Alarm?) {
    withLock { _ in machine.paths.date() ? (true, store()) : (false, nil) }
  }

  /// Replaces the waiting element with a new one, if the machine need not be asked. `store` exchanges them.
  @inlinable @inline(__always)
  func replaceDirect(store: () -> Void) -> Bool {
    withLock { _ in
      let isReplaced = machine.paths.replace()
      if isReplaced { store() }
      return isReplaced
    }
  }

  /// Dequeues the next due element with `take`, or stops delivering, unless the stream is finishing: the machine then
  /// has to be asked what is left, such as the completion. Returns whether the caller has stopped delivering. Called by
  /// the performer of a machine that delivers on a scheduler.
  @inlinable @inline(__always)
  func endDelivering(unlessDue take: () -> Void) -> Bool {
    withLock { _ in
      if machine.paths.takeDue() {
        take()
        return false
      }
      if machine.isFinishing { return false }
      role.end()
      return true
    }
  }
}
