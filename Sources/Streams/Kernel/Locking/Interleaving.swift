#if STREAMS_EXPLORE
  public import Synchronization

  // Compiled only for the explorer (`Tests/ExplorerTests`), which runs a few threads in every order of their steps. The
  // kernel's files then use this `Atomic` instead of the standard library's, and locks report to the controller.

  /// A type that decides when a controlled thread may take its next step.
  @usableFromInline
  package protocol InterleavingController: AnyObject, Sendable {
    var isControllingThread: Bool { get }

    /// Waits until the calling thread may access an atomic value. Returns the bits that a load must return.
    func access(_ access: AtomicAccess, at address: UInt, current: UInt64) -> UInt64

    /// Waits until a lock is free and the calling thread may take it.
    func acquire(_ address: UInt)

    /// Records that the calling thread has released a lock.
    func release(_ address: UInt)

    /// Releases a lock, waits until another thread wakes the lock's waiters, and takes the lock again.
    func sleep(_ address: UInt)

    /// Wakes the threads that wait for a lock.
    func wakeAll(_ address: UInt)

    /// Indicates whether taking a lock is one step. If not, accesses to the lock's word and its wait queue are steps.
    var treatsLocksAsSteps: Bool { get }
  }

  /// An access to an atomic value, with the values as bits.
  @usableFromInline
  package enum AtomicAccess: Sendable {
    case load(isAcquiring: Bool)
    case store(UInt64, isReleasing: Bool)
    case exchange(UInt64, isAcquiring: Bool, isReleasing: Bool)
    case compareExchange(expected: UInt64, desired: UInt64, isAcquiring: Bool, isReleasing: Bool)
  }

  @usableFromInline
  package enum Interleaving {
    // Safe despite `nonisolated(unsafe)`: set before the first thread is controlled, and never again.
    nonisolated(unsafe) static var installed: (any InterleavingController)?

    private static let lastIdentity = Synchronization.Atomic<UInt>(0)

    static func nextIdentity() -> UInt { lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The controller, if it controls the calling thread.
    @usableFromInline package static var controller: (any InterleavingController)? {
      guard let installed, installed.isControllingThread else { return nil }
      return installed
    }
  }

  /// An atomic value to which each access is a step for the explorer.
  ///
  /// Each access also happens for real, with its own ordering, so ThreadSanitizer sees what the kernel does but not what the
  /// controller does. The controller chooses the value that a relaxed load returns from the stores that the load may see.
  @usableFromInline
  package struct Atomic<Value>: ~Copyable, @unchecked Sendable {
    // Unchecked: the value is accessed only through the standard library's atomic.
    /// The value's bits, always 64, because the operations of the standard library's atomics depend on the size.
    private let stored: Synchronization.Atomic<UInt64>
    /// A number that's unique in the process. An address wouldn't be, because the value may be moved and the address reused.
    fileprivate let identity = Interleaving.nextIdentity()
    private let isOfLock: Bool

    @usableFromInline
    package init(_ initial: Value) {
      stored = Synchronization.Atomic(Self.bits(initial))
      isOfLock = false
    }

    /// Creates a lock's word. Accesses to it aren't steps if taking a lock is one step.
    @usableFromInline
    package init(ofLock initial: Value) {
      stored = Synchronization.Atomic(Self.bits(initial))
      isOfLock = true
    }

    private static func bits(_ value: Value) -> UInt64 {
      var bits: UInt64 = 0
      withUnsafeBytes(of: value) { source in
        withUnsafeMutableBytes(of: &bits) { $0.copyMemory(from: source) }
      }
      return bits
    }

    private static func value(_ bits: UInt64) -> Value {
      withUnsafeBytes(of: bits) { $0.baseAddress!.assumingMemoryBound(to: Value.self).pointee }
    }

    /// Waits for the controller. Returns the bits that a load must return, or `nil` if the thread isn't controlled.
    private func step(_ access: AtomicAccess) -> UInt64? {
      guard let controller = Interleaving.controller, !(isOfLock && controller.treatsLocksAsSteps) else { return nil }
      return controller.access(access, at: identity, current: stored.load(ordering: .relaxed))
    }

    @usableFromInline
    package func load(ordering: AtomicLoadOrdering) -> Value {
      let isAcquiring = ordering != .relaxed
      let chosen = step(.load(isAcquiring: isAcquiring))
      let loaded = isAcquiring ? stored.load(ordering: .acquiring) : stored.load(ordering: .relaxed)
      return Self.value(chosen ?? loaded)
    }

    @usableFromInline
    package func store(_ desired: Value, ordering: AtomicStoreOrdering) {
      let (bits, isReleasing) = (Self.bits(desired), ordering != .relaxed)
      _ = step(.store(bits, isReleasing: isReleasing))
      if isReleasing { stored.store(bits, ordering: .releasing) } else { stored.store(bits, ordering: .relaxed) }
    }

    @usableFromInline
    package func exchange(_ desired: Value, ordering: AtomicUpdateOrdering) -> Value {
      let (bits, (acquires, releases)) = (Self.bits(desired), Self.effects(of: ordering))
      _ = step(.exchange(bits, isAcquiring: acquires, isReleasing: releases))
      let former =
        switch (acquires, releases) {
        case (false, false): stored.exchange(bits, ordering: .relaxed)
        case (true, false): stored.exchange(bits, ordering: .acquiring)
        case (false, true): stored.exchange(bits, ordering: .releasing)
        case (true, true): stored.exchange(bits, ordering: .acquiringAndReleasing)
        }
      return Self.value(former)
    }

    @usableFromInline
    package func weakCompareExchange(
      expected: Value, desired: Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
      compareExchange(expected: expected, desired: desired, ordering: ordering)
    }

    @usableFromInline
    package func compareExchange(
      expected: Value, desired: Value, ordering: AtomicUpdateOrdering
    ) -> (exchanged: Bool, original: Value) {
      let (old, new) = (Self.bits(expected), Self.bits(desired))
      let (acquires, releases) = Self.effects(of: ordering)
      _ = step(.compareExchange(expected: old, desired: new, isAcquiring: acquires, isReleasing: releases))
      let result =
        switch (acquires, releases) {
        case (false, false): stored.compareExchange(expected: old, desired: new, ordering: .relaxed)
        case (true, false): stored.compareExchange(expected: old, desired: new, ordering: .acquiring)
        case (false, true): stored.compareExchange(expected: old, desired: new, ordering: .releasing)
        case (true, true): stored.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
        }
      return (result.exchanged, Self.value(result.original))
    }

    /// Not a step: it only creates identifiers, whose order doesn't matter.
    package func wrappingAdd(_ operand: UInt, ordering: AtomicUpdateOrdering) -> (oldValue: UInt, newValue: UInt) {
      let sum = stored.wrappingAdd(UInt64(operand), ordering: .relaxed)
      return (UInt(sum.oldValue), UInt(sum.newValue))
    }

    private static func effects(of ordering: AtomicUpdateOrdering) -> (acquires: Bool, releases: Bool) {
      switch ordering {
      case .relaxed: (false, false)
      case .acquiring: (true, false)
      case .releasing: (false, true)
      default: (true, true)
      }
    }
  }

  extension Atomic where Value: BinaryInteger {
    // Not steps, for the same reason.

    func add(_ operand: Value, ordering: AtomicUpdateOrdering) {
      _ = stored.wrappingAdd(UInt64(operand), ordering: .relaxed)
    }

    func subtract(_ operand: Value, ordering: AtomicUpdateOrdering) {
      _ = stored.wrappingSubtract(UInt64(operand), ordering: .relaxed)
    }
  }

  /// An object whose lock may be one step for the explorer.
  @usableFromInline
  package protocol ExploredLock {
    /// The number that identifies the lock's word.
    var lockIdentity: UInt { get }
  }

  extension ExploredLock {
    /// The controller, if the thread is controlled and locks are steps.
    private var controller: (any InterleavingController)? {
      Interleaving.controller.flatMap { $0.treatsLocksAsSteps ? $0 : nil }
    }

    /// Waits until the lock is free.
    @usableFromInline
    package func acquireExploredLock() { controller?.acquire(lockIdentity) }

    @usableFromInline
    package func releaseExploredLock() { controller?.release(lockIdentity) }
  }

  extension Locked: ExploredLock {
    @usableFromInline
    package var lockIdentity: UInt { word.identity }
  }

  extension Engine: ExploredLock {
    @usableFromInline
    package var lockIdentity: UInt { word.identity }
  }
#endif
