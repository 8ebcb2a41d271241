// The only file in this module with platform-specific code. It's compiled and tested for Linux with Glibc. Code that hasn't
// been compiled for its platform yet is marked.

#if os(Windows)
  internal import WinSDK  // Not yet compiled.
#elseif canImport(Darwin)
  internal import Darwin  // Not yet compiled.
#elseif canImport(Android)
  internal import Android  // Not yet compiled.
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl  // Not yet compiled.
#elseif canImport(WASILibc)
  internal import WASILibc  // Not yet compiled.
  #if canImport(wasi_pthread)
    internal import wasi_pthread  // Not yet compiled.
  #endif
#else
  #error("Streams does not support this platform. Implement thread parking and thread-local values in Platform.swift.")
#endif

/// The few operating system calls that the kernel needs and the standard library doesn't offer.
///
/// Code that can be inlined into other modules calls none of them directly, so the modules imported here stay hidden from those
/// modules.
package enum Platform {}

#if os(Windows)
  // Not yet compiled.
  extension Platform {
    /// A queue in which threads sleep until another thread wakes them. It's never freed.
    struct WaitQueue: @unchecked Sendable {
      // Unchecked because of the pointers: their memory is accessed only through calls that are thread-safe.
      private let mutex = UnsafeMutablePointer<SRWLOCK>.allocate(capacity: 1)
      private let condition = UnsafeMutablePointer<CONDITION_VARIABLE>.allocate(capacity: 1)

      init() {
        InitializeSRWLock(mutex)
        InitializeConditionVariable(condition)
      }

      func lock() { AcquireSRWLockExclusive(mutex) }

      func unlock() { ReleaseSRWLockExclusive(mutex) }

      /// Atomically unlocks the queue and sleeps, then locks the queue again when woken. Spurious wake-ups are possible.
      func wait() { _ = SleepConditionVariableSRW(condition, mutex, INFINITE, 0) }

      func wakeAll() { WakeAllConditionVariable(condition) }
    }

    /// A key under which each thread keeps its own object until the thread ends.
    struct ThreadKey {
      private let index: DWORD

      /// Returns `nil` if the process has too many keys.
      init?() {
        // Fiber-local storage, because Windows doesn't release thread-local values. On a thread without fibers, the two are the
        // same.
        index = FlsAlloc { Platform.release($0) }
        if index == DWORD.max { return nil }
      }

      var object: UnsafeMutableRawPointer? {
        get { FlsGetValue(index) }
        nonmutating set { _ = FlsSetValue(index, newValue) }
      }
    }

    /// Lets other threads run for a moment.
    static func yield() { _ = SwitchToThread() }

    /// Stops in the debugger. Without a debugger, the program is terminated.
    static func stopInDebugger() { DebugBreak() }

    private static func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
      var count: DWORD = 0
      let isWritten = WriteFile(
        GetStdHandle(STD_ERROR_HANDLE), bytes.baseAddress, DWORD(truncatingIfNeeded: bytes.count), &count, nil)
      return isWritten ? Int(count) : -1
    }
  }
#elseif _runtime(_multithreaded)
  extension Platform {
    /// A queue in which threads sleep until another thread wakes them. It's never freed.
    struct WaitQueue: @unchecked Sendable {
      // Unchecked because of the pointers: their memory is accessed only through calls that are thread-safe.
      private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

      init() {
        _ = pthread_mutex_init(mutex, nil)
        _ = pthread_cond_init(condition, nil)
      }

      func lock() { _ = pthread_mutex_lock(mutex) }

      func unlock() { _ = pthread_mutex_unlock(mutex) }

      /// Atomically unlocks the queue and sleeps, then locks the queue again when woken. Spurious wake-ups are possible.
      func wait() { _ = pthread_cond_wait(condition, mutex) }

      func wakeAll() { _ = pthread_cond_broadcast(condition) }

      #if STREAMS_EXPLORE
        var address: UInt { UInt(bitPattern: mutex) }
      #endif
    }

    /// A key under which each thread keeps its own object until the thread ends.
    struct ThreadKey {
      private let key: pthread_key_t

      /// Returns `nil` if the process has too many keys.
      init?() {
        var key = pthread_key_t()
        guard pthread_key_create(&key, { Platform.release($0) }) == 0 else { return nil }
        self.key = key
      }

      var object: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { _ = pthread_setspecific(key, newValue) }
      }
    }

    /// Lets other threads run for a moment.
    static func yield() { _ = sched_yield() }
  }
#else
  // WebAssembly with one thread, so there's never contention. Not yet compiled.
  extension Platform {
    /// A queue in which no thread ever sleeps.
    struct WaitQueue {
      func lock() {}
      func unlock() {}
      func wait() {}
      func wakeAll() {}
    }

    /// A key under which the only thread keeps an object.
    struct ThreadKey {
      // Safe despite `nonisolated(unsafe)`: there's only one thread.
      private nonisolated(unsafe) static var object: UnsafeMutableRawPointer?

      init?() {}

      var object: UnsafeMutableRawPointer? {
        get { Self.object }
        nonmutating set { Self.object = newValue }
      }
    }

    /// Does nothing: there's no other thread to run.
    static func yield() {}
  }
#endif

extension Platform {
  /// Releases the object that a thread has kept under a key. The argument is optional on some platforms only.
  private static func release(_ object: UnsafeMutableRawPointer?) {
    if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
  }

  /// Writes text to standard error, in one system call if possible, so lines from several threads stay intact.
  package static func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = writeSome(rest)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }

  #if !os(Windows)
    private static func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int { write(2, bytes.baseAddress, bytes.count) }
  #endif

  #if os(WASI)
    /// Stops the program, because there are no signals. Not yet compiled.
    static func stopInDebugger() { stopProgram("A breakpoint was reached.") }
  #elseif !os(Windows)
    /// Stops in the debugger. Without a debugger, the program is terminated.
    static func stopInDebugger() { _ = raise(SIGTRAP) }
  #endif
}
