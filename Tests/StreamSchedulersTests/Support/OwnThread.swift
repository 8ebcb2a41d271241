import Dispatch
import Testing

/// Runs a test, or the tests of a suite one after the other, on a thread of its own, which it may block.
///
/// Other tests run on Swift's concurrency pool, which has as many threads as there are processors. One that waits there
/// keeps the thread from all tasks of the process, and so perhaps from the one that it waits for. Tests of the main actor stay
/// on the main thread.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  private let executor = QueueExecutor()

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(executor) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  static var ownThread: Self { Self() }
}

/// Runs tasks on a queue, whose thread does not belong to the pool.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "own thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}

/// How long a test waits for what is bound to come, before it says that it hangs.
///
/// It measures nothing. Beside much other work, a task of a large suite may get its first turn only after minutes.
let patience = Duration.seconds(1200)

extension DispatchTime {
  /// When a test has lost its patience.
  static var hang: DispatchTime { .now() + .seconds(Int(patience.components.seconds)) }
}
