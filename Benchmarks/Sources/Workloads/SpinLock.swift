import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The cheapest possible lock: two atomic instructions without contention.
public struct SpinLock: ~Copyable {
  @usableFromInline let isHeld = Atomic(false)

  /// Creates a lock that is free.
  @inlinable
  public init() {}

  /// Runs a closure while holding the lock.
  @inlinable @inline(__always)
  public borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    acquire()
    defer { release() }
    return body()
  }

  /// Waits until the lock is free.
  @inlinable @inline(__always)
  public borrowing func acquire() {
    while !isHeld.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { Self.wait() }
  }

  /// Releases the lock.
  @inlinable @inline(__always)
  public borrowing func release() { isHeld.store(false, ordering: .releasing) }

  @usableFromInline
  static func wait() { sched_yield() }
}
