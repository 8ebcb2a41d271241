// In these versions of the compiler, the module Runtime has two features that aren't public: the caller's registers,
// and a backtrace created from addresses.
#if os(Linux) && canImport(Runtime) && compiler(>=6.3) && compiler(<6.4) && (arch(x86_64) || arch(arm64))
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl  // Not yet compiled.
  #endif
  @_spi(Contexts) internal import Runtime

  /// Writes the return addresses of the current thread's calls to a buffer, innermost first.
  ///
  /// The function follows the chain of frame pointers, which takes a few instructions for each frame. Code without
  /// frame pointers, such as the C library or the output of plain `swiftc -O`, breaks the chain or leaves out a caller.
  /// The package manager keeps frame pointers. A frame that isn't on the thread's stack ends the chain, so no other
  /// memory is ever read.
  ///
  /// Callers that aren't on the stack aren't found. In an optimized build, these include functions that end with a tail
  /// call. In any build, they include the callers of an asynchronous function.
  ///
  /// - Parameter addresses: The buffer to write to. Addresses that don't fit are left out.
  /// - Returns: The number of addresses written.
  @inline(never)
  @_silgen_name("streams_callStacks_returnAddresses")
  public func returnAddresses(into addresses: UnsafeMutableBufferPointer<UInt>) -> Int {
    let end = StackEnd.ofThread
    var lowest: UInt = withUnsafePointer(to: addresses) { UInt(bitPattern: $0) }
    var frame = HostContext.withCurrentContext { UInt(truncatingIfNeeded: $0.framePointer) }
    var count = 0
    // A frame begins with the caller's frame pointer, followed by the return address.
    while count < addresses.count, frame > lowest, frame < end, frame & 7 == 0,
      let record = UnsafePointer<UInt>(bitPattern: frame), record[1] != 0
    {
      addresses[count] = record[1]
      count += 1
      lowest = frame
      frame = record[0]
    }
    return count
  }

  /// The upper end of each thread's stack.
  private enum StackEnd {
    /// The key under which each thread stores the end of its stack once that's known.
    private static let key: pthread_key_t? = {
      var key = pthread_key_t()
      return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The highest possible address of a frame on the calling thread's stack, or 1 if it isn't known.
    static var ofThread: UInt {
      guard let key else { return 1 }
      if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
      let end = read() ?? 1
      _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: end))
      return end
    }

    /// Asks the system for the end of the stack. This takes about a microsecond, or about 100 microseconds on the main thread.
    @inline(never)
    private static func read() -> UInt? {
      // The C headers declare this function only with `_GNU_SOURCE`.
      typealias Function = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt
      guard let address = dlopen(nil, RTLD_NOW).flatMap({ dlsym($0, "pthread_getattr_np") }) else { return nil }
      var attributes = pthread_attr_t()
      guard unsafeBitCast(address, to: Function.self)(pthread_self(), &attributes) == 0 else { return nil }
      defer { pthread_attr_destroy(&attributes) }
      var (start, size): (UnsafeMutableRawPointer?, Int) = (nil, 0)
      guard pthread_attr_getstack(&attributes, &start, &size) == 0 else { return nil }
      return UInt(bitPattern: start) + UInt(size) - UInt(2 * MemoryLayout<UInt>.size)
    }
  }
#else
  /// Returns 0, because the calls can't be found on this platform or with this compiler.
  @_silgen_name("streams_callStacks_returnAddresses")
  public func returnAddresses(into addresses: UnsafeMutableBufferPointer<UInt>) -> Int { 0 }
#endif
