internal import Foundation
internal import Streams

/// The files of the current checks, which are removed when a signal interrupts the process.
///
/// A signal from a person or another program says nothing about the current run. A crash sends other signals, and
/// `exit` doesn't send any. A process that's killed can't remove its files.
enum OpenJournals {
  // Shared with a signal handler, which must not lock or allocate anything. A path begins with a zero unless it's complete.
  // The memory is never released.
  private nonisolated(unsafe) static let paths = {
    let paths = UnsafeMutablePointer<CChar>.allocate(capacity: capacity * length)
    paths.initialize(repeating: 0, count: capacity * length)
    return paths
  }()

  private static let capacity = 64
  private static let length = 1_024

  // Unchecked because `Locked` doesn't declare that it's sendable. The state has a size, because ThreadSanitizer mistakes an
  // access to an empty one for an access to the object's header.
  private nonisolated(unsafe) static let lock = Locked(false)

  /// Adds the path of a file, and returns its position, or `nil` if the list is full or the path is too long.
  static func add(_ path: String) -> Int? {
    _ = handlesSignals
    let characters = Array(path.utf8CString)
    guard characters.count > 1, characters.count <= length else { return nil }
    return lock.withLock { _ in
      guard let location = (0..<capacity).first(where: { paths[$0 * length] == 0 }) else { return nil }
      for index in characters.indices.reversed() { paths[location * length + index] = characters[index] }
      return location
    }
  }

  /// Removes a path from the list. The file stays.
  static func remove(_ location: Int) { lock.withLock { _ in paths[location * length] = 0 } }

  /// Handles the signals that interrupt a process, unless something else does.
  private static let handlesSignals: Bool = {
    _ = paths
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      var earlier = sigaction()
      sigaction(number, nil, &earlier)
      let isHandled = signal(number, { number in OpenJournals.handle(number) }) != nil
      if isHandled { sigaction(number, &earlier, nil) }
    }
    return true
  }()

  private static func handle(_ number: Int32) {
    // Another thread can keep writing to a file that's unlinked here.
    for location in 0..<capacity where paths[location * length] != 0 { unlink(paths + location * length) }
    // The process ends as it would have without the handler.
    signal(number, SIG_DFL)
    raise(number)
  }
}
