internal import Foundation
internal import Streams

/// Tells when there is something to read from descriptors: one thread waits for all of them.
///
/// Not with sources of Dispatch: on Linux, those of pipes whose other end is closed meanwhile now and then make its event loop
/// read memory that it has let go of, in `_dispatch_event_loop_drain` of Swift 6.3.
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

  // Unchecked because `Locked` says nothing of it: the lock protects everything that changes.
  private nonisolated(unsafe) let state = Locked(State())
  /// What is written here ends the thread's wait, so that it looks at the entries again.
  private let bell = Pipe()

  private init() {
    // A bell that has been rung more often than it was heard need not ring again.
    let writing = bell.fileHandleForWriting.fileDescriptor
    _ = fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK)
  }

  /// Runs an action, on a thread that must not be kept, once there is something to read, or the end; the descriptor is kept
  /// until then. Returns what cancels that.
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

  /// Lets go of an action and its descriptor.
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
      // Held while they are polled, so that no number is used for something else meanwhile.
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
