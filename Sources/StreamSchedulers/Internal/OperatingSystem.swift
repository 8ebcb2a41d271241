public import Streams

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(WinSDK)
  internal import CRT
  internal import WinSDK
#endif

// The module's calls to the operating system. No other file of the module imports the C library. Only the Glibc branch has been
// compiled.

/// A thread-local pointer to an object that's released when the thread ends. It replaces `Platform.ThreadKey` of `Streams`,
/// because calls into another module would add 20 instructions to each awaited task in virtual time.
struct ThreadLocalObject {
  #if os(Windows)
    private let key: DWORD

    init?() {
      key = FlsAlloc { release($0) }
      if key == FLS_OUT_OF_INDEXES { return nil }
    }

    var pointer: UnsafeMutableRawPointer? {
      get { FlsGetValue(key) }
      nonmutating set { FlsSetValue(key, newValue) }
    }
  #else
    private let key: pthread_key_t

    init?() {
      var key = pthread_key_t()
      guard pthread_key_create(&key, { release($0) }) == 0 else { return nil }
      self.key = key
    }

    var pointer: UnsafeMutableRawPointer? {
      get { pthread_getspecific(key) }
      nonmutating set { pthread_setspecific(key, newValue) }
    }
  #endif
}

private func release(_ object: UnsafeMutableRawPointer?) {
  if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}

/// Returns the address of a function or a variable in the running process, or `nil` if there's none with that name or
/// the process can't be searched.
package func symbolAddress(_ name: String) -> UnsafeMutableRawPointer? {
  #if os(Windows)
    return nil
  #else
    return dlopen(nil, RTLD_NOW).flatMap { dlsym($0, name) }
  #endif
}

#if !os(Windows)
  // In an extension of a scheduler's type, such as `DispatchQueue`, name lookup for `sleep(1)` ends at the scheduler's methods,
  // so `sleep(for:)` hides the C library's function. These overloads replace it.

  extension Scheduler {
    /// Calls the C library's `sleep`, which `sleep(for:tolerance:options:)` hides in extensions of schedulers.
    ///
    /// - Parameter seconds: The number of seconds to block the thread.
    /// - Returns: The number of seconds left if a signal interrupted the call, otherwise zero.
    @available(*, deprecated, message: "This blocks the thread. Write Foundation.sleep(_:) if you mean that.")
    @_documentation(visibility: internal)
    @_disfavoredOverload
    @discardableResult
    public func sleep(_ seconds: UInt32) -> UInt32 { platformSleep(seconds) }

    /// Calls the C library's `sleep`, which `sleep(for:tolerance:options:)` hides in extensions of schedulers.
    ///
    /// - Parameter seconds: The number of seconds to block the thread.
    /// - Returns: The number of seconds left if a signal interrupted the call, otherwise zero.
    @available(*, deprecated, message: "This blocks the thread. Write Foundation.sleep(_:) if you mean that.")
    @_documentation(visibility: internal)
    @_disfavoredOverload
    @discardableResult
    public static func sleep(_ seconds: UInt32) -> UInt32 { platformSleep(seconds) }
  }

  private func platformSleep(_ seconds: UInt32) -> UInt32 { sleep(seconds) }
#endif

/// Indicates whether the caller runs on the thread on which the process began.
var isOnMainThread: Bool {
  #if canImport(Darwin)
    return pthread_main_np() != 0
  #elseif os(Windows)
    return GetCurrentThreadId() == mainThreadIdentifier
  #else
    // Headers declare `gettid` only on request.
    typealias Function = @convention(c) () -> pid_t
    guard let address = symbolAddress("gettid") else { return false }
    return unsafeBitCast(address, to: Function.self)() == getpid()
  #endif
}

#if os(Windows)
  // The system doesn't report which thread began the process, so the first caller is assumed to run on it.
  private let mainThreadIdentifier = GetCurrentThreadId()
#endif

/// The number of threads on which the global concurrent executor runs the tasks of one priority, or `nil` if it isn't known.
let globalExecutorWidth: Int? = {
  #if os(Linux) && canImport(Glibc)
    // Like the system's dispatch library, this counts the processors on which the process may run. Headers declare the function
    // only on request.
    typealias Function = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> CInt
    guard let address = symbolAddress("sched_getaffinity") else { return nil }
    var processors = [UInt64](repeating: 0, count: 16)
    let isKnown = processors.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { unsafeBitCast(address, to: Function.self)(0, bytes.count, $0) } == 0
    }
    return isKnown ? processors.reduce(0) { $0 + $1.nonzeroBitCount } : nil
  #else
    return nil
  #endif
}()
