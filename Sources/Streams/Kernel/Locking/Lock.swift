public import Synchronization

/// State that can be accessed only while its lock is held.
///
/// A kernel type inherits from this class and keeps in `State` everything that more than one thread may access. Two rules
/// apply: while the lock is held, no unknown code is called (no subscriber, subscription, scheduler or user closure) and no
/// user's value is released. A transition returns displaced values from ``withLock(_:)``, so they're destroyed outside the
/// lock.
///
/// The lock is one word. Without contention, one atomic instruction takes the lock and one releases it (13 instructions in all,
/// compared to 36 for `Synchronization.Mutex`, which uses thread identifiers on Linux). Contending threads sleep rather than
/// spin. The word is an `Atomic`, so ThreadSanitizer sees the ordering it establishes.
@usableFromInline @_fixed_layout
package class Locked<State> {
  // Exclusive: protected by `word`, and accessed only in `withLock`, which runs the kernel's transitions: they don't call
  // unknown code, and never take the lock that they run under. A dynamic check for every value would cost more than the lock.
  @usableFromInline
  @exclusivity(unchecked) package final var guardedState: State

  #if STREAMS_EXPLORE
    @usableFromInline package final let word = Atomic<UInt8>(ofLock: LockWord.free)
  #else
    @usableFromInline package final let word = Atomic<UInt8>(LockWord.free)
  #endif

  @inlinable
  package init(_ state: State) { guardedState = state }

  /// Runs a transition while the lock is held, and returns the transition's result.
  @inlinable @inline(__always)
  package final func withLock<Result: ~Copyable>(_ transition: (inout State) -> Result) -> Result {
    #if STREAMS_EXPLORE
      acquireExploredLock()
    #endif
    if !word.weakCompareExchange(expected: LockWord.free, desired: LockWord.held, ordering: .acquiring).exchanged {
      acquireSlowly()
    }
    let result = transition(&guardedState)
    if word.exchange(LockWord.free, ordering: .releasing) != LockWord.held { wakeOthers() }
    #if STREAMS_EXPLORE
      releaseExploredLock()
    #endif
    // Without this, if the caller doesn't use the result, the optimizer would release it under the lock.
    extendLifetime(result)
    return result
  }

  @usableFromInline @inline(never)
  package final func acquireSlowly() {
    // A thread that has slept takes the lock as `contended`: it can't know whether others sleep, and a needless wake-up is
    // cheaper than a lost one.
    while word.exchange(LockWord.contended, ordering: .acquiring) != LockWord.free {
      Platform.WaitQueue.of(self).sleep { word.load(ordering: .relaxed) == LockWord.contended }
    }
  }

  @usableFromInline @inline(never)
  package final func wakeOthers() { Platform.WaitQueue.of(self).wake() }
}

/// The values of a lock's word. They aren't members of the generic class, whose metadata unoptimized code would look up each
/// time.
@usableFromInline
package enum LockWord {
  @inlinable @_transparent package static var free: UInt8 { 0 }
  @inlinable @_transparent package static var held: UInt8 { 1 }
  @inlinable @_transparent package static var contended: UInt8 { 2 }
}

// Critical sections are a few instructions long, so threads hardly ever sleep. A few shared queues serve all locks in the
// process. A thread that's woken for another lock with the same queue goes back to sleep.
extension Platform.WaitQueue {
  private static let all = (0..<64).map { _ in Self() }

  /// Returns the queue in which threads sleep while they wait for a lock.
  static func of(_ lock: AnyObject) -> Self {
    // Objects with a lock are at least 32 bytes apart.
    all[Int((UInt(bitPattern: ObjectIdentifier(lock)) >> 5) & 63)]
  }

  /// Sleeps until woken, unless the condition no longer holds.
  func sleep(while isContended: () -> Bool) {
    #if STREAMS_EXPLORE
      if let controller = Interleaving.controller {
        controller.acquire(address)
        if isContended() { controller.sleep(address) }
        return controller.release(address)
      }
    #endif
    lock()
    if isContended() { wait() }
    unlock()
  }

  /// Wakes all threads that sleep in this queue.
  func wake() {
    #if STREAMS_EXPLORE
      if let controller = Interleaving.controller {
        controller.acquire(address)
        controller.wakeAll(address)
        return controller.release(address)
      }
    #endif
    lock()
    wakeAll()
    unlock()
  }
}
