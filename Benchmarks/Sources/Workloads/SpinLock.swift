import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The cheapest lock that is one: two atomic instructions when nobody else wants it.
public struct SpinLock: ~Copyable {
  @usableFromInline let isHeld = Atomic(false)

  /// Makes a lock that nobody holds.
  @inlinable
  public init() {}

  /// Does something that nobody else does meanwhile.
  @inlinable @inline(__always)
  public borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    acquire()
    defer { release() }
    return body()
  }

  /// Waits until nobody else holds the lock.
  @inlinable @inline(__always)
  public borrowing func acquire() {
    while !isHeld.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { Self.wait() }
  }

  /// Lets others have the lock.
  @inlinable @inline(__always)
  public borrowing func release() { isHeld.store(false, ordering: .releasing) }

  @usableFromInline
  static func wait() { sched_yield() }
}
