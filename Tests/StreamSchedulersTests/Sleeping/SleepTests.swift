import Dispatch
import Foundation
import StreamFoundation
import StreamSchedulers
import Streams
import Testing

@Suite
struct SleepTests {
  private let clock = HandClock()

  @Test func `a sleep ends when its duration has elapsed`() async throws {
    let log = Log<String>()
    let task = Task {
      try await clock.sleep(for: .seconds(2))
      log.append("awake")
    }
    _ = await clock.armed.first(1)
    clock.advance(by: .nanoseconds(1_999_999_999))
    #expect(clock.pendingCount == 1)
    clock.advance(by: .nanoseconds(1))
    try await task.value
    #expect(log.all == ["awake"])
    #expect(clock.pendingCount == 0)
  }

  @Test func `a sleep until a deadline ends at the deadline`() async throws {
    let deadline = clock.now.advanced(by: .seconds(2))
    let task = Task { try await clock.sleep(until: deadline) }
    _ = await clock.armed.first(1)
    clock.advance(by: .seconds(2))
    try await task.value
  }

  @Test func `a sleep until now or a past deadline returns immediately`() async throws {
    try await clock.sleep(until: clock.now)
    try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
    try await clock.sleep(for: .zero)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.armed.all.isEmpty)
  }

  @Test func `cancelling the task ends the sleep and leaves nothing scheduled`() async {
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    _ = await clock.armed.first(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.pendingCount == 0)
  }

  @Test func `a task that is already cancelled does not sleep`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(2))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.armed.all.isEmpty)
  }

  @Test func `a task that is already cancelled throws even if the deadline has passed`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .zero)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `concurrent cancellation and wake-up are safe`() async {
    for _ in 0..<200 {
      let clock = HandClock()
      let task = Task { try await clock.sleep(for: .seconds(1)) }
      _ = await clock.armed.first(1)
      async let advance: Void = clock.advance(by: .seconds(1))
      task.cancel()
      await advance
      _ = await task.result
      #expect(clock.pendingCount == 0)
    }
  }

  @Test func `a sleep on an immediate scheduler returns immediately`() async throws {
    try await DispatchQueue.immediate.sleep(for: .seconds(3600))
    try await ImmediateScheduler.shared.sleep(for: 5)
  }

  @Test func `a sleep on a queue lasts for the requested duration`() async throws {
    let queue = DispatchQueue.global()
    let start = queue.now
    try await queue.sleep(for: .milliseconds(20), tolerance: .milliseconds(1))
    #expect(start.distance(to: queue.now) >= .milliseconds(20))
  }

  @Test @MainActor func `a sleep on an operation queue can be started on an actor`() async throws {
    try await OperationQueue.main.sleep(for: .milliseconds(1))
    MainActor.preconditionIsolated()
  }

  @Test func `synchronous work is measured in the scheduler's time`() {
    let duration = clock.measure { clock.advance(by: .seconds(3)) }
    #expect(duration == .seconds(3))
  }

  @Test func `asynchronous work is measured including its suspensions`() async {
    let duration = await clock.measure {
      await Task.yield()
      clock.advance(by: .seconds(3))
    }
    #expect(duration == .seconds(3))
  }

  @Test func `an error ends the measurement and is rethrown`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try clock.measure { () throws(Failure) in throw Failure() } }
  }
}
