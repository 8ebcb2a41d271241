internal import Foundation
internal import Streams

/// A poller that waits until descriptors are readable, on one thread for all of them.
///
/// It doesn't use dispatch sources: on Linux, sources of pipes whose other end is closed at the same time occasionally make
/// Dispatch's event loop read freed memory, in `_dispatch_event_loop_drain` of Swift 6.3.
final class Readiness: Sendable {
  static let shared = Readiness()

  private struct Entry {
    let descriptor: FileDescriptor
    let action: @Sendable () -> Void
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var count = 0
    var isRunning = false
  }

  // Unchecked because `Locked` isn't marked: the lock protects everything that changes.
  private nonisolated(unsafe) let state = Locked(State())
  /// A byte written here ends the thread's `poll`, so the thread reads the entries again.
  private let bell = Pipe()

  private init() {
    // A full pipe needn't be written to again, so writing must not block.
    let writing = bell.fileHandleForWriting.fileDescriptor
    _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK)
  }

  /// Calls an action once a descriptor is readable or at its end, and retains the descriptor until then. The action must not
  /// block the polling thread, on which it runs. Returns the number with which to cancel the wait.
  func wait(for descriptor: FileDescriptor, _ action: @escaping @Sendable () -> Void) -> Int {
    let (number, isFirst) = state.withLock { state in
      state.count += 1
      state.entries[state.count] = Entry(descriptor: descriptor, action: action)
      defer { state.isRunning = true }
      return (state.count, !state.isRunning)
    }
    if isFirst {
      let thread = Thread { self.run() }
      thread.name = "lines"
      thread.start()
    } else {
      ring()
    }
    return number
  }

  /// Cancels a wait, and releases its action and its descriptor.
  func cancel(_ number: Int) {
    let entry = state.withLock { $0.entries.removeValue(forKey: number) }
    if entry != nil { ring() }
  }

  private func ring() {
    var byte: UInt8 = 0
    _ = write(bell.fileHandleForWriting.fileDescriptor, &byte, 1)
  }

  private func run() {
    let bell = bell.fileHandleForReading.fileDescriptor
    while true {
      // The copies retain the descriptors while they're polled, so their numbers aren't reused.
      let entries = state.withLock { Array($0.entries) }
      var polled = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
      for (_, entry) in entries {
        polled.append(pollfd(fd: entry.descriptor.number, events: Int16(POLLIN), revents: 0))
      }
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = read(bell, &bytes, bytes.count)
      }
      for (index, (number, _)) in entries.enumerated() where polled[index + 1].revents != 0 {
        let entry = state.withLock { $0.entries.removeValue(forKey: number) }
        entry?.action()
      }
    }
  }
}
