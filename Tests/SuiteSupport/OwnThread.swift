package import Dispatch
internal import Foundation
package import Testing

/// Runs a test, or the tests of a suite one after the other, on a thread of its own, which the test may block.
///
/// Other tests run on Swift's concurrency pool, which has as many threads as there are processors. A test that blocks
/// there withholds its thread from all tasks of the process, perhaps even from the one that it waits for. Tests of the
/// main actor stay on the main thread.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  private let executor = QueueExecutor()

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(executor) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  package static var ownThread: Self { Self() }
}

/// An executor that runs tasks on a queue, whose thread does not belong to the pool.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "own thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}

/// The time that a test waits for an event that is bound to occur, before it reports a hang.
///
/// This measures nothing. On a busy machine, a task of a large suite may first run only after minutes.
package let patience = Duration.seconds(1200)

extension DispatchTime {
  /// The time at which a test stops waiting.
  package static var hang: DispatchTime { .now() + .seconds(Int(patience.components.seconds)) }
}

/// Runs a closure on a new thread, for which it does not have to wait as for one of Dispatch, and waits for the closure.
package func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    isDone.signal()
  }
  isDone.wait()
}
