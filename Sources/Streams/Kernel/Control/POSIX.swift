/// The few calls of the operating system that the kernel needs and the standard library does not offer.
///
/// They are declared here by their symbols, because this module imports nothing but the standard library and
/// `Synchronization`. Each takes and returns only pointers and integers, which Swift and C pass alike on every
/// platform that this package supports.
enum POSIX {
  /// Room for a mutex, a condition or a key of any supported system; the largest, Darwin's mutex, takes 64 bytes.
  static let largestObject = 128

  @_silgen_name("pthread_mutex_init")
  static func initializeMutex(_ mutex: UnsafeMutableRawPointer, _ attributes: UnsafeRawPointer?) -> CInt

  @_silgen_name("pthread_mutex_lock")
  static func lock(_ mutex: UnsafeMutableRawPointer) -> CInt

  @_silgen_name("pthread_mutex_unlock")
  static func unlock(_ mutex: UnsafeMutableRawPointer) -> CInt

  @_silgen_name("pthread_cond_init")
  static func initializeCondition(_ condition: UnsafeMutableRawPointer, _ attributes: UnsafeRawPointer?) -> CInt

  @_silgen_name("pthread_cond_wait")
  static func wait(_ condition: UnsafeMutableRawPointer, _ mutex: UnsafeMutableRawPointer) -> CInt

  @_silgen_name("pthread_cond_broadcast")
  static func wakeAll(_ condition: UnsafeMutableRawPointer) -> CInt

  /// Lets other threads run for a moment.
  @_silgen_name("sched_yield")
  static func yield() -> CInt

  @_silgen_name("pthread_key_create")
  static func createKey(
    _ key: UnsafeMutableRawPointer, _ destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) -> CInt

  @_silgen_name("pthread_getspecific")
  static func threadValue(_ key: UInt) -> UnsafeMutableRawPointer?

  @_silgen_name("pthread_setspecific")
  static func setThreadValue(_ key: UInt, _ value: UnsafeMutableRawPointer?) -> CInt

  @_silgen_name("write")
  private static func write(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int

  /// Writes a text to standard error, in one call if the system allows it.
  static func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = write(2, rest.baseAddress, rest.count)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      }
    }
  }
}
