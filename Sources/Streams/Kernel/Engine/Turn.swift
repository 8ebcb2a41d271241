public import Synchronization

// MARK: The lock and the turn

extension Engine {
  /// The value of an engine's word.
  ///
  /// | the word | means | a thread that requests, cancels or adds an element |
  /// | --- | --- | --- |
  /// | free | nothing is being delivered | may take the turn |
  /// | turn | a thread delivers | leaves the word dirty |
  /// | turn, dirty | that thread looks for more before it ends its turn | changes nothing in the word |
  /// | lent | the thread that sends a broadcast's values may deliver | leaves the word dirty, but that thread delivers |
  /// | lent, dirty | that thread takes the lock for the next value, and the turn | changes nothing in the word |
  ///
  /// In each of these states, the word may also have the bit of the lock. The lock is held for a few instructions.
  @usableFromInline @frozen
  package struct Word: Equatable {
    @usableFromInline package let bits: UInt8

    @inlinable @_transparent
    package init(_ bits: UInt8) { self.bits = bits }

    // These are transparent, because unoptimized code would otherwise call functions for them.

    /// Neither the lock nor the turn is taken.
    @inlinable @_transparent package static var free: Word { Word(0) }
    @inlinable @_transparent package static var locked: Word { Word(1) }
    /// Threads sleep until the lock is free. Only with `locked`.
    @inlinable @_transparent package static var contended: Word { Word(2) }
    @inlinable @_transparent package static var turn: Word { Word(4) }
    /// Something has changed since the thread with the turn last looked. Only with `turn`.
    @inlinable @_transparent package static var dirty: Word { Word(8) }
    /// The thread that sends the values of a broadcast has the turn: demand is unlimited and nothing waits, so it doesn't need
    /// the lock. The word tells that thread whether this still holds. To other threads, the turn is taken.
    @inlinable @_transparent package static var lent: Word { Word(16 | 4) }

    @inlinable @_transparent
    package func contains(_ other: Word) -> Bool { bits & other.bits == other.bits }

    @inlinable @_transparent
    package func with(_ other: Word) -> Word { Word(bits | other.bits) }

    @inlinable @_transparent package var hasTurn: Bool { contains(.turn) }

    /// Returns the word after a transition: dirty if a thread has the turn, otherwise with the turn if the transition takes it.
    package func afterTransition(takingTurn takesTurn: Bool) -> Word {
      hasTurn ? with(.dirty) : takesTurn ? .turn : .free
    }
  }

  /// Takes the lock. Returns the word that it found, without the bits of the lock.
  @inlinable @inline(__always)
  package func lock() -> Word { lock(expecting: .free) }

  /// Takes the lock as the thread that has the turn.
  @inline(__always)
  package func lockWithTurn() { _ = lock(expecting: .turn) }

  /// Takes the lock, at a lower cost if the word is as expected.
  @inlinable @inline(__always)
  package func lock(expecting expected: Word) -> Word {
    #if STREAMS_EXPLORE
      acquireExploredLock()
    #endif
    let isTaken = word.weakCompareExchange(
      expected: expected.bits, desired: expected.with(.locked).bits, ordering: .acquiring
    ).exchanged
    return isTaken ? expected : lockSlowly()
  }

  @usableFromInline @inline(never)
  package func lockSlowly() -> Word {
    while true {
      let found = Word(word.load(ordering: .relaxed))
      if !found.contains(.locked) {
        if change(found, to: found.with(.locked)) { return found }
      } else if found.contains(.contended) || change(found, to: found.with(.contended)) {
        // All sleeping threads are woken, and each one that finds the lock taken again marks it as contended again.
        Platform.WaitQueue.of(self).sleep { Word(word.load(ordering: .relaxed)).contains(.contended) }
      }
    }
  }

  private func change(_ found: Word, to desired: Word) -> Bool {
    word.compareExchange(expected: found.bits, desired: desired.bits, ordering: .acquiring).exchanged
  }

  /// Releases the lock, and sets the other bits of the word.
  @inlinable @inline(__always)
  package func unlock(_ left: Word) {
    if Word(word.exchange(left.bits, ordering: .releasing)).contains(.contended) { wakeOthers() }
    #if STREAMS_EXPLORE
      releaseExploredLock()
    #endif
  }

  package var isLocked: Bool { Word(word.load(ordering: .relaxed)).contains(.locked) }

  var hasTurn: Bool { Word(word.load(ordering: .relaxed)).hasTurn }

  @usableFromInline @inline(never)
  package func wakeOthers() { Platform.WaitQueue.of(self).wake() }

  /// Indicates whether the thread that sends the values of a broadcast may deliver without the lock.
  @inlinable @inline(__always)
  package var isLent: Bool {
    #if STREAMS_EXPLORE
      acquireExploredLock()
      defer { releaseExploredLock() }
    #endif
    return Word(word.load(ordering: .acquiring)) == .lent
  }

  /// Takes the lock as the thread that sends the values of a broadcast, and the turn, if it has been lent.
  @inline(__always)
  package func lockAsSender(expecting expected: Word = .free) -> Word {
    let found = lock(expecting: expected)
    return found.contains(.lent) ? .free : found
  }

  /// Ends the turn or lends it, unless another thread has left something to do. Returns whether it has ended.
  @inlinable @inline(__always)
  package func endTurn(lends: Bool = false) -> Bool {
    #if STREAMS_EXPLORE
      acquireExploredLock()
      defer { releaseExploredLock() }
    #endif
    return word.compareExchange(
      expected: Word.turn.bits, desired: (lends ? Word.lent : .free).bits, ordering: .releasing
    ).exchanged
  }

  /// Runs a closure under the lock. The closure must not change anything for the thread with the turn.
  @inline(__always)
  package func withLock<Result>(_ body: () -> Result) -> Result {
    let found = lock()
    let result = body()
    unlock(found)
    // Without this, if the caller doesn't use the result, the optimizer would release it under the lock.
    extendLifetime(result)
    return result
  }
}

/// Restores the level that ``Engine/enterSourceLevel()`` replaced. This is a global function, because a client would have to
/// keep the engine alive for a method, and look up metadata for a static one.
@usableFromInline
package func restoreSourceLevel(_ place: ThreadState.SavedLevel) {
  place.context._withUnsafeGuaranteedRef { $0.level = place.outer }
}
