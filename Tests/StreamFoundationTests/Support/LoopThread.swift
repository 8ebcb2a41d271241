import Dispatch
import Foundation
import StreamSchedulers
import Streams
import Testing

/// A thread that runs its run loop during the lifetime of this object.
final class LoopThread: @unchecked Sendable {
  private(set) var loop: RunLoop!
  private(set) var thread: Thread!
  private let mustEnd = Box(false)

  init() {
    let isReady = DispatchSemaphore(value: 0)
    let found = Box<RunLoop?>(nil)
    thread = Thread { [mustEnd] in
      found.value = .current
      // A run loop without sources returns immediately.
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

  /// Returns when the run loop has had time to fall asleep, which cannot be observed.
  func isAsleep() async {
    let log = Log<Int>()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { log.append(1) }
    _ = await log.first(1)
  }
}
