public import Synchronization

/// State that can be reached only while its lock is held.
///
/// A kernel type inherits from this and keeps in `State` everything that more than one thread may touch. The rules:
/// nothing is called out while the lock is held (no subscriber, subscription, scheduler or user closure), and no
/// value of a user is released while it is held: what a transition displaces is returned from ``withLock(_:)`` and dies
/// outside.
///
/// The lock is one word, changed by one atomic instruction each way when nobody competes (13 instructions for a pair;
/// `Synchronization.Mutex`, which works with thread identities on Linux, takes 36). Competing threads sleep in a
/// ``ParkingLot``; nobody spins. The word is an `Atomic`, so ThreadSanitizer sees what it orders.
@usableFromInline @_fixed_layout
package class Locked<State> {
  // Exclusive: protected by `word`, read and written only in `withLock`, which runs transitions of the kernel: they call nothing
  // unknown and do not nest. A check on every value costs more than the lock.
  @usableFromInline
  @exclusivity(unchecked) final var guardedState: State

  @usableFromInline
  final let word = Atomic<UInt8>(LockWord.free)

  @inlinable
  package init(_ state: State) { guardedState = state }

  /// Runs a transition while the lock is held, and returns what it decided.
  @inlinable @inline(__always)
  package final func withLock<Result: ~Copyable>(_ transition: (inout State) -> Result) -> Result {
    if !word.weakCompareExchange(
      expected: LockWord.free, desired: LockWord.held, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      acquireSlowly()
    }
    defer {
      if word.exchange(LockWord.free, ordering: .releasing) != LockWord.held { wakeOthers() }
    }
    return transition(&guardedState)
  }

  @usableFromInline @inline(never)
  final func acquireSlowly() {
    // Whoever has slept takes the lock as `contended`: it cannot know whether others sleep, and one needless wake-up
    // is cheaper than a lost one.
    while word.exchange(LockWord.contended, ordering: .acquiring) != LockWord.free {
      ParkingLot.shared.sleep(for: ObjectIdentifier(self)) { word.load(ordering: .relaxed) == LockWord.contended }
    }
  }

  @usableFromInline @inline(never)
  final func wakeOthers() {
    ParkingLot.shared.wake(ObjectIdentifier(self))
  }
}

/// The values of a lock's word.
@usableFromInline
enum LockWord {
  @inlinable static var free: UInt8 { 0 }
  @inlinable static var held: UInt8 { 1 }
  @inlinable static var contended: UInt8 { 2 }
}

/// Where threads sleep that wait for a lock.
///
/// Sections under a lock are a few instructions long, so hardly anyone ever comes here: a few shared places serve
/// every lock of the process, and a thread that is woken for another lock of the same place sleeps again.
struct ParkingLot: Sendable {
  static let shared = ParkingLot()

  private let places = (0..<64).map { _ in Platform.SleepingPlace() }

  private func place(of lock: ObjectIdentifier) -> Platform.SleepingPlace {
    // Objects with a lock are at least 32 bytes apart.
    places[Int((UInt(bitPattern: lock) >> 5) & 63)]
  }

  /// Sleeps until woken, unless the condition no longer holds.
  func sleep(for lock: ObjectIdentifier, while isContended: () -> Bool) {
    let place = place(of: lock)
    place.lock()
    if isContended() { place.wait() }
    place.unlock()
  }

  /// Wakes everyone who sleeps for the lock.
  func wake(_ lock: ObjectIdentifier) {
    let place = place(of: lock)
    place.lock()
    place.wakeAll()
    place.unlock()
  }
}
