import Dispatch
import Foundation
import Testing

@testable import Streams

// `@testable`: what each platform supplies. Streams use it only where threads meet, which a test cannot arrange.

@Suite(.ownThread)
struct PlatformTests {
  /// Signals its deallocation.
  private final class Kept: Sendable {
    let release: DispatchSemaphore

    init(_ release: DispatchSemaphore) { self.release = release }

    deinit { release.signal() }
  }

  /// The state that threads share while they lock a place.
  private final class Sleep: @unchecked Sendable {
    var count = 0
    var isOver = false
  }

  @Test func `each thread has its own object, which is released when the thread ends`() throws {
    let key = try #require(Platform.ThreadKey())
    let isReleased = DispatchSemaphore(value: 0)
    let isKept = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var wasEmpty = false
    Thread.detachNewThread {
      wasEmpty = key.object == nil
      key.object = Unmanaged.passRetained(Kept(isReleased)).toOpaque()
      isKept.signal()
      mayEnd.wait()
    }
    isKept.wait()

    #expect(wasEmpty)
    #expect(key.object == nil)
    #expect(isReleased.wait(timeout: .now()) == .timedOut)
    mayEnd.signal()
    isReleased.wait()
  }

  @Test func `wakes all threads that sleep at a place`() {
    let place = Platform.WaitQueue()
    let group = DispatchGroup()
    let sleep = Sleep()
    for _ in 0..<3 {
      group.enter()
      Thread.detachNewThread {
        place.lock()
        sleep.count += 1
        while !sleep.isOver { place.wait() }
        place.unlock()
        group.leave()
      }
    }
    var areAsleep = false
    while !areAsleep {
      Platform.yield()
      place.lock()
      areAsleep = sleep.count == 3
      place.unlock()
    }
    place.lock()
    sleep.isOver = true
    place.wakeAll()
    place.unlock()
    group.wait()
  }
}
