// The direct paths, each in its locked section. What they promise is said in `DirectPaths`. Closures run under the
// lock: they keep elements, or take them out, and run no code of a user.

extension Engine {
  /// Whether an element of the slot may be delivered right now; the caller then delivers it and calls ``endDirect()``.
  @inlinable @inline(__always)
  func beginDirect(from slot: Int) -> Bool {
    withLock { _ in
      if performer.isAtWork || !machine.paths.open.contains(slot) { return false }
      performer.begin()
      return true
    }
  }

  @inlinable @inline(__always)
  func endDirect() {
    if !performer.endUndisturbed() { endDisturbed() }
  }

  /// Ends a direct delivery in which a transition was made: unless that has closed the path, as something waits.
  @usableFromInline @inline(never)
  func endDisturbed() {
    let isDone = withLock { _ in
      if machine.paths.open.kind == .none { return false }
      performer.end()
      return true
    }
    if !isDone { deliver() }
  }

  /// Reports an element that may make an output together with others; `store` keeps it and `combine` makes the output.
  @inlinable @inline(__always)
  func combineDirect(from slot: Int, store: () -> Void, combine: () -> Void) -> Combination {
    withLock { _ in
      if performer.isAtWork || machine.paths.open.kind == .none { return .refused }
      let reception = machine.received(from: slot)
      if reception == .refused { return .incomplete }
      store()
      guard reception == .completes else { return .incomplete }
      combine()
      let isLast = machine.isFinishing
      if isLast { machine.paths.close() }
      performer.begin(isLast: isLast)
      return .complete
    }
  }

  /// Puts an element behind those that wait, if the machine need not be asked; `store` keeps it.
  @inlinable @inline(__always)
  func queueDirect(store: () -> Void) -> Queueing {
    withLock { _ in
      let outcome = machine.paths.queue()
      if outcome != .refused { store() }
      return outcome
    }
  }

  /// Puts an element behind those that wait, if the machine need not be asked; `store` keeps it, and says whether a
  /// timer is to be armed for it. Then it is the caller's to arm it and to call ``armed(_:_:)``.
  @inlinable @inline(__always)
  func dateDirect(store: () -> Alarm?) -> (isTaken: Bool, alarm: Alarm?) {
    withLock { _ in machine.paths.date() ? (true, store()) : (false, nil) }
  }

  /// Lets an element take the place of the one that waits, if the machine need not be asked; `store` exchanges them.
  @inlinable @inline(__always)
  func replaceDirect(store: () -> Void) -> Bool {
    withLock { _ in
      let isReplaced = machine.paths.replace()
      if isReplaced { store() }
      return isReplaced
    }
  }

  /// Takes the next element that is due out with `take`, or else stops delivering, unless the stream is finishing: then
  /// the machine has to be asked what is left, such as the completion. Returns whether it has stopped. For the
  /// performer of a machine that delivers on a scheduler.
  @inlinable @inline(__always)
  func endDelivering(unlessDue take: () -> Void) -> Bool {
    withLock { _ in
      if machine.paths.takeDue() {
        take()
        return false
      }
      if machine.isFinishing { return false }
      performer.end()
      return true
    }
  }
}
