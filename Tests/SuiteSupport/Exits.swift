internal import Synchronization
package import Testing

/// Runs tests that expect a process to exit, a few at a time, on threads that do not belong to Swift's concurrency pool.
///
/// Thousands of tests wait for the pool. A test that expects an exit suspends between the start of its process and
/// waiting for it, and Swift Testing's thread for exits spins as long as a process that has ended is not waited for:
/// without this trait, for a minute.
package struct Exits: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Lanes.entrance) {
      let lane = await Lanes.shared.take()
      defer { Lanes.shared.give(lane) }
      try await withTaskExecutorPreference(lane) { try await function() }
    }
  }
}

extension Trait where Self == Exits {
  package static var exits: Self { Self() }
}

/// The executors on which tests that start processes run, one test at a time on each.
private final class Lanes: Sendable {
  static let shared = Lanes(count: 4)
  static let entrance = QueueExecutor()

  private struct State: Sendable {
    var free: [QueueExecutor]
    var waiting: [CheckedContinuation<QueueExecutor, Never>] = []
  }

  private let state: Mutex<State>

  private init(count: Int) { state = Mutex(State(free: (0..<count).map { _ in QueueExecutor() })) }

  func take() async -> QueueExecutor {
    await withCheckedContinuation { continuation in
      let lane = state.withLock { state in
        let lane = state.free.popLast()
        if lane == nil { state.waiting.append(continuation) }
        return lane
      }
      if let lane { continuation.resume(returning: lane) }
    }
  }

  func give(_ lane: QueueExecutor) {
    let next = state.withLock { state in
      if state.waiting.isEmpty { state.free.append(lane) }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume(returning: lane)
  }
}
