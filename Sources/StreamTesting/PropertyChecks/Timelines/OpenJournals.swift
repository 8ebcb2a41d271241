internal import Foundation
internal import Streams

/// The files of the checks that are being made, which a signal that interrupts the process empties.
///
/// A signal that a person or another program sends says nothing about the run that is being made. A crash sends other
/// signals, and `exit` sends none. A process that is killed cannot empty its files.
enum OpenJournals {
  // Shared with a signal handler, which must not lock or allocate anything: each place is one word, which is loaded or
  // stored as a whole. The memory is never released.
  private nonisolated(unsafe) static let descriptors = {
    let descriptors = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
    descriptors.initialize(repeating: -1, count: capacity)
    return descriptors
  }()

  private static let capacity = 64

  // Unchecked because `Locked` does not declare that it is sendable.
  private nonisolated(unsafe) static let lock = Locked(())

  /// Adds an open file, and returns its place; `nil` if there are too many.
  static func add(_ descriptor: Int32) -> Int? {
    _ = handlesSignals
    return lock.withLock { _ in
      let place = (0..<capacity).first { descriptors[$0] < 0 }
      if let place { descriptors[place] = descriptor }
      return place
    }
  }

  /// Removes the file at a place, before it is closed.
  static func remove(_ place: Int) { lock.withLock { _ in descriptors[place] = -1 } }

  /// Handles the signals that interrupt a process, unless something else does.
  private static let handlesSignals: Bool = {
    _ = descriptors
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      var earlier = sigaction()
      sigaction(number, nil, &earlier)
      let isHandled = signal(number, { number in OpenJournals.handle(number) }) != nil
      if isHandled { sigaction(number, &earlier, nil) }
    }
    return true
  }()

  private static func handle(_ number: Int32) {
    for place in 0..<capacity where descriptors[place] >= 0 { ftruncate(descriptors[place], 0) }
    // The process ends as it would have without the handler.
    signal(number, SIG_DFL)
    raise(number)
  }
}
