import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

/// A thread that runs its loop as long as this lives.
final class LoopThread: @unchecked Sendable {
  private(set) var loop: RunLoop!
  private(set) var thread: Thread!
  private let mustEnd = Box(false)

  init() {
    let isReady = DispatchSemaphore(value: 0)
    let found = Box<RunLoop?>(nil)
    thread = Thread { [mustEnd] in
      found.value = .current
      // A loop with nothing to wait for does not wait.
      let idle = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
      RunLoop.current.add(idle, forMode: .common)
      isReady.signal()
      while !mustEnd.value { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      idle.invalidate()
    }
    thread.start()
    isReady.wait()
    loop = found.value
  }

  deinit {
    let mustEnd = mustEnd
    loop.schedule { mustEnd.value = true }
  }

  /// Returns when the loop has had a moment to fall asleep; whether it has cannot be asked.
  func isAsleep() async {
    let log = Log<Int>()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { log.append(1) }
    _ = await log.first(1)
  }
}
